/**
 * The closed set of codes a run can end with. One row a code: the exit code, the HTTP status, one sentence on what it is
 * and one on what changes it. `explain`, the README's tables and the service's problem documents all read these rows, so
 * a new code cannot be added without each of them.
 */

export interface CodeRow {
  /** Exit code of the command line. */
  readonly exit: 1 | 2 | 3;
  /** Status of the service's answer. */
  readonly http: number;
  readonly meaning: string;
  readonly wayOut: string;
}

const refusal = (meaning: string, wayOut: string, http = 422): CodeRow => ({ exit: 2, http, meaning, wayOut });
const provider = (meaning: string, wayOut: string): CodeRow => ({ exit: 3, http: 502, meaning, wayOut });

/** Refusals: a rule said no; nothing was sent. */
export const REFUSALS = {
  CONFIG_INVALID: refusal(
    'A settings file does not read as its schema says.',
    'Correct every line and column the message names; `coldseal config check` reads the files without running anything.',
  ),
  CONFIG_UNSAFE: refusal(
    'A settings file, its folder or the environment is not safely the owner’s: mode, owner, symbolic link, folder inside a checkout, HOME unset, or certificate checks turned off.',
    'Give the file mode 0600 and yourself as owner, keep the machine folder outside every checkout, unset NODE_TLS_REJECT_UNAUTHORIZED.',
  ),
  REPO_DECLARES_PROVIDER: refusal(
    'The repository file declares a provider or an owner’s list; only the machine file may.',
    'Remove `oracle.api` and `oracle.bundled_context_providers` from the repository file and set them in the machine file.',
  ),
  NO_ROUTE: refusal(
    'A send was asked for and the agent has no provider.',
    'Route the agent under `oracle.roles` in the machine file, or type `--route AGENT=PROVIDER/MODEL`.',
  ),
  PROVIDER_UNKNOWN: refusal(
    'The route names a provider that the machine file does not configure.',
    'Add it under `oracle.api` in the machine file, or route to one that is there (`coldseal providers list`).',
  ),
  MODEL_NOT_LISTED: refusal(
    'The model is not on the provider’s own list.',
    'Add it to `oracle.api.<provider>.models` in the machine file, or name one that is listed.',
  ),
  MODEL_DENIED: refusal(
    'The model is on a denylist.',
    'Choose another model; the message names the entry and the file it stands in.',
  ),
  SETTING_REFUSED: refusal(
    'A model setting is outside the closed list, comes from the repository on a remote leg, or holds a secret.',
    'Type it with `--set NAME=JSON`, or move it to `coldseal.providers.<name>.settings` in the machine file.',
  ),
  NOT_BUNDLED_CONTEXT: refusal(
    'The provider is not on the owner’s list for file-reading helpers (DR5).',
    'Add its name to `oracle.bundled_context_providers` in the machine file, or hand the work to the host with `--route <agent>=host-decides`.',
  ),
  NO_KIND: refusal('The agent has no kind of bundle, so nothing of it may leave.', 'Use an agent of `coldseal kinds`.'),
  NO_RANGE: refusal(
    'The kind needs a range of commits and there is none.',
    'Name one with `--range A..B`, commit first, or hand the work to the host with `--route <agent>=host-decides`.',
  ),
  INPUT_MISSING: refusal(
    'Something the kind’s list asks for is not there.',
    'The message names the input and the command that sets it.',
  ),
  PROJECT_AMBIGUOUS: refusal(
    'More than one entry of `oracle.bundles.projects` could apply, or the history is too shallow to tell.',
    'Keep one entry, or run `git fetch --unshallow`.',
  ),
  ITEM_UNREADABLE: refusal(
    'An item’s object is missing or cannot be read.',
    'Repair the repository (`git fsck`), or fetch the missing objects yourself.',
  ),
  ITEM_TOO_LARGE: refusal(
    'An item, its path or the number of items is over a fixed bound; nothing of it was read.',
    'Withhold it with `coldseal withhold add GLOB`, or raise the cap it is measured against.',
  ),
  SCANNER_DEGRADED: refusal(
    'The scanner is not whole: a rule file does not load, a rule does not compile, or its self-test failed.',
    'Correct what the message names; `coldseal rules check` tests every rule.',
  ),
  SCAN_FAILED: refusal(
    'An item could not be scanned to its end.',
    'The message names the item and the bound; withhold the item or report the bound.',
  ),
  FINDING_SURVIVES: refusal(
    'A blocking finding was still there after three rounds of blanking.',
    'The message names rule and item; an owner’s rule that hits the frame itself is the usual cause.',
  ),
  OVER_CAP: refusal(
    'The bundle is larger than the cap in force. Nothing was cut short, nothing was sent.',
    'Raise the cap with the command the message names, or withhold some of the largest items.',
    413,
  ),
  OVER_BUDGET: refusal(
    'The bundle is larger than the provider’s `max_prompt_tokens`.',
    'Raise the budget in the machine file, or withhold some of the largest items.',
    413,
  ),
  DIGEST_MISMATCH: refusal(
    'The bundle or its destination is not what `--expect` named.',
    'Plan again, read the plan, and expect the new digest.',
    409,
  ),
  CONSENT_CHANGED: refusal(
    'The provider is not what it was when it was consented to, or the machine file changed between the plan and the send.',
    'Look at the change and accept it with `coldseal providers approve NAME`; after a change between plan and send, run again.',
    409,
  ),
  CREDENTIAL_MISSING: refusal(
    'The credential that the provider names has no value here.',
    'Set the variable, file or keychain entry that the message names.',
  ),
  RECORD_UNWRITABLE: refusal(
    'The record could not be written, so nothing was sent.',
    'Make room or correct the folder’s owner and mode; `coldseal records verify` says where the chain stands.',
  ),
  READING_INVALID: refusal(
    'The parked reading does not hold together.',
    'Assemble it again; the message names file and member.',
  ),
  NOT_A_REPOSITORY: refusal('There is no git repository here.', 'Name one with `-C DIR`.'),
  GIT_UNSAFE: refusal(
    'The git folder or its objects belong to somebody else.',
    'Clone it yourself, or correct the owner.',
  ),
  GIT_FAILED: refusal('git failed, took too long or said too much.', 'The message names the command and the limit.'),
  STATE_UNSAFE: refusal(
    'A folder under `.abcd/.work.local/` is a link, is tracked, or cannot be there.',
    'Remove the link or untrack the folder.',
  ),
  BUSY: refusal('More runs at once than the service allows.', 'Try again when one has ended.', 429),
  CANCELLED: refusal('The run was ended by its caller.', 'Start it again.', 409),
  JOB_UNSIGNED: refusal(
    'A job in the queue carries no signature.',
    'Add jobs with `coldseal jobs add` or the service; both sign them with the key of `coldseal.queue.key`.',
  ),
  JOB_FORGED: refusal(
    'A job’s signature does not fit what it says: it was altered, moved to another lane, or signed with another key.',
    'Use the same `coldseal.queue.key` value on every machine; if it is, find out who else writes to Redis.',
  ),
  JOB_REPLAYED: refusal(
    'A job’s idempotency key is used up, missing or of another job: the same signed job was put into the queue again.',
    'Add a new job, or run `coldseal jobs retry ID`, which signs one.',
    409,
  ),
  JOB_EXPIRED: refusal(
    'A job was not run before the time it was signed for.',
    'Add it again; start more workers when many expire.',
  ),
  JOB_OUTDATED: refusal(
    'A job has another schema version than this build reads.',
    'Run the same version of coldseal where jobs are added and where they run, and add the job again.',
  ),
  JOB_INVALID: refusal(
    'A job does not read as its schema says.',
    'The message names the members; a job holds references and limits only, never text, secrets or credentials.',
  ),
  JOB_TOO_LARGE: refusal(
    'A job, or what it found, is over a fixed bound.',
    'A job holds references only, so a large one is none of ours; a scan with very many findings takes more shards.',
    413,
  ),
  JOB_NOT_ALLOWED: refusal(
    'A job names a repository that the machine it runs on does not allow.',
    'Name its folder in `coldseal.queue.repositories`, or its clone URL in `coldseal.queue.clones`, of that machine’s file.',
  ),
  JOB_LOST: refusal(
    'A worker lost its lease on a job before the first byte of the body; nothing was sent by it.',
    'Nothing: another worker has the job. Many of these mean that workers or Redis stand still for too long.',
    409,
  ),
  JOB_EXHAUSTED: refusal(
    'A job was begun as often as it may be, and its workers died each time before anything left.',
    'Look at the workers’ memory and logs, then run `coldseal jobs retry ID`.',
  ),
  JOB_UNKNOWN: refusal(
    'A send began, or a job was added while the queue went away, and nobody knows how that ended: the bundle may have left and may be billed.',
    'Ask `coldseal jobs show ID`; look at the record on the machine the job ran on and at the provider’s account; `coldseal jobs retry ID --may-bill-twice` sends it again.',
    409,
  ),
  QUEUE_UNREACHABLE: refusal(
    'The queue’s Redis cannot be reached.',
    'Check the address in `coldseal.queue.url`, the network and the server; workers go on by themselves.',
    503,
  ),
  QUEUE_AUTH: refusal(
    'The queue’s Redis refuses the password or the account.',
    'Set the credential that `coldseal.queue.password` names, and let the account use its own keys, scripts and INFO.',
    503,
  ),
  QUEUE_FULL: refusal(
    'The queue’s Redis has no memory left; nothing was added.',
    'Raise its `maxmemory`, or let workers catch up: ended jobs leave by themselves.',
    503,
  ),
  QUEUE_SLOW: refusal(
    'The queue’s Redis did not answer in time.',
    'Look at its load and the network; nothing was sent meanwhile.',
    503,
  ),
  QUEUE_SWITCHING: refusal(
    'The queue’s Redis takes no writes just now: it is a replica, loading, or failing over.',
    'Wait for the new primary, or correct `coldseal.queue.url` if it names a replica; workers go on by themselves.',
    503,
  ),
  QUEUE_UNSAFE: refusal(
    'The queue’s Redis could forget that a job was sent.',
    'Set `appendonly yes`, `maxmemory-policy noeviction`, and `appendfsync always` where the server is older than Redis 7.2.',
    503,
  ),
  USAGE: refusal('The words on the command line do not fit.', 'See `coldseal --help`.', 400),
} as const satisfies Record<string, CodeRow>;

/** Provider failures: the call was made or attempted, and no answer may be used. */
export const PROVIDER_FAILURES = {
  PROVIDER_UNREACHABLE: provider(
    'The provider could not be reached; nothing of the bundle left.',
    'Check the name, the port and the network.',
  ),
  PROVIDER_TLS: provider(
    'The provider’s certificate or handshake was not accepted; nothing of the bundle left.',
    'Name the right `ca_file` for this provider in the machine file. Checks cannot be turned off.',
  ),
  PROVIDER_TIMEOUT: provider(
    'A time limit of the call ran out.',
    'The `limit` member names which; only the total is yours to set (`coldseal.providers.<name>.timeout`).',
  ),
  PROVIDER_STATUS: provider(
    'The provider answered with an error.',
    'The message quotes it; correct the account, the model or the size.',
  ),
  PROVIDER_REDIRECT: provider(
    'The provider answered with a redirect, which is never followed.',
    'Set the final address as `base_url`.',
  ),
  PROVIDER_CUT_OFF: provider(
    'The answer ended before it was whole.',
    'Ask again; raise `max_tokens` if the finish reason was `length`.',
  ),
  PROVIDER_EMPTY: provider(
    'The provider answered without text.',
    'The bundle probably exceeds the model’s context; lower the cap.',
  ),
  PROVIDER_FILTERED: provider(
    'The provider’s own filter refused the answer.',
    'Choose another provider or narrow the bundle.',
  ),
  PROVIDER_TOOL_CALL: provider('The answer calls a tool although none was offered.', 'Choose another model.'),
  PROVIDER_TWO_MODELS: provider('One answer names two models.', 'Pin the model at the provider.'),
  PROVIDER_MODEL_DENIED: provider(
    'The provider answered with a model that a denylist names; the answer was discarded.',
    'Pin the model at the provider.',
  ),
  PROVIDER_READ_LESS: provider(
    'The provider’s own count shows that it read only part of the bundle.',
    'Raise the server’s context length or lower the cap.',
  ),
  PROVIDER_TOO_LARGE: provider('The answer is over a fixed bound.', 'Lower `max_tokens`.'),
  PROVIDER_ANSWER_INVALID: provider(
    'The answer is not what the contract allows.',
    'The message says what was due; ask again or choose another model.',
  ),
} as const satisfies Record<string, CodeRow>;

/** A fault of ours. Exit 1. */
export const FAULTS = {
  INTERNAL: {
    exit: 1,
    http: 500,
    meaning: 'A fault of Coldseal itself.',
    wayOut: 'Report the message, the version and the verb; no item text is needed.',
  },
} as const satisfies Record<string, CodeRow>;

export type RefusalCode = keyof typeof REFUSALS;
export type ProviderFailureCode = keyof typeof PROVIDER_FAILURES;
export type FaultCode = keyof typeof FAULTS;
export type Code = RefusalCode | ProviderFailureCode | FaultCode;

/** Every row by its code. */
export const CODES: Readonly<Record<Code, CodeRow>> = { ...REFUSALS, ...PROVIDER_FAILURES, ...FAULTS };

export const isCode = (text: string): text is Code => Object.hasOwn(CODES, text);
export const isRefusal = (code: Code): code is RefusalCode => Object.hasOwn(REFUSALS, code);
export const isProviderFailure = (code: Code): code is ProviderFailureCode => Object.hasOwn(PROVIDER_FAILURES, code);
