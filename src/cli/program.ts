/**
 * The verbs as a table of commander commands. Nothing is done here: each action loads its module when it is called, so
 * that `coldseal explain` never loads a scanner.
 */
import { Command, Option } from 'commander';
import { VERSION } from '../contract/version.js';
import type { GlobalFlags, VerbAction, VerbContext } from './verb-context.js';
import { addOwnerVerbs } from './verbs/add-owner-verbs.js';
import { addQueueVerbs } from './verbs/add-queue-verbs.js';
import { addRecordVerbs } from './verbs/add-record-verbs.js';
import { addScanVerbs } from './verbs/add-scan-verbs.js';
import { addSendVerbs } from './verbs/add-send-verbs.js';
import { addSettingsVerbs } from './verbs/add-settings-verbs.js';
import { addToolVerbs } from './verbs/add-tool-verbs.js';

/** Wires one verb: `load` answers the module's action when the verb is called. */
export type Wire = (load: () => Promise<VerbAction>) => (this: Command) => Promise<void>;

const globalFlags = (command: Command): GlobalFlags => {
  const typed: Record<string, unknown> = command.optsWithGlobals();
  return {
    folder: typeof typed['C'] === 'string' ? typed['C'] : '.',
    json: typed['json'] === true,
    quiet: typed['quiet'] === true,
    verbose: typed['verbose'] === true,
    progress: typed['progress'] !== false,
  };
};

/** What a group of verbs is most often opened for. */
const GROUP_EXAMPLES: Readonly<Record<string, string>> = {
  intent: 'intent audit itd-12 --plan',
  reading: 'reading assemble --position widening --target HEAD --dry-run',
  release: 'release changelog --from v1.0 --plan',
  records: 'records show last',
  list: 'list show change_review',
  withhold: 'withhold add package-lock.json',
  allow: 'allow list',
  config: 'config show',
  providers: 'providers list',
  jobs: 'jobs add change_review --range main..HEAD',
  rules: 'rules check',
};

/** `contextOf` is called once, when a verb runs; `onExit` takes its exit code, `onErrorText` what commander says itself. */
export const createProgram = (
  contextOf: (flags: GlobalFlags) => VerbContext,
  onExit: (code: number) => void,
  onErrorText: (text: string) => void,
): Command => {
  const wire: Wire = (load) =>
    async function runVerb(this: Command) {
      const action = await load();
      onExit(await action(contextOf(globalFlags(this)), { args: this.args, options: this.opts() }));
    };

  const program = new Command('coldseal')
    .description('Decides what leaves this machine for a remote model: one bundle, scanned, blanked, capped, recorded.')
    .version(VERSION, '-V, --version', 'print the version alone')
    .addOption(new Option('-C <dir>', 'run as if started in this folder'))
    .option('--json', 'one JSON document on stdout and nothing else there')
    .option('-q, --quiet', 'fewer lines on stderr; the count of what is sent is never hidden')
    .option('-v, --verbose', 'more lines on stderr')
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('--no-progress', 'no progress line')
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({ writeErr: onErrorText })
    .addHelpText('after', '\nExample:\n  coldseal review --plan        show what a review of this branch would send');
  addSendVerbs(program, wire);
  addScanVerbs(program, wire);
  addRecordVerbs(program, wire);
  addOwnerVerbs(program, wire);
  addSettingsVerbs(program, wire);
  addQueueVerbs(program, wire);
  addToolVerbs(program, wire);
  for (const group of program.commands.filter(({ commands }) => commands.length > 0))
    group.addHelpText('after', `\nExample:\n  coldseal ${GROUP_EXAMPLES[group.name()] ?? `${group.name()} --help`}`);
  return program;
};
