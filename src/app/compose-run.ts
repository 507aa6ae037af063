/**
 * What a kind makes for itself before its items are planned: the range, the request it composes, the receipt that names
 * the run's files. For a bundle everything is read as git objects at the head; for what stays here, in the work tree's
 * present form.
 */
import { ColdsealError } from '../contract/error.js';
import type { CommitRange, PreparedInputs } from '../contract/item.js';
import type { PathMatch } from '../contract/path-glob.js';
import type { Repository } from '../contract/repository.js';
import { composeAudit } from '../kinds/compose-audit.js';
import { composeChangelog } from '../kinds/compose-changelog.js';
import { composeConsistency } from '../kinds/compose-consistency.js';
import type { ComposedKind } from '../kinds/composed-kind.js';
import { type RecordFiles, recordFilesAt } from '../kinds/record-files.js';
import { recordFilesInWorkTree } from '../kinds/work-tree-records.js';
import { resolveRange } from '../plan/resolve-range.js';
import type { SendWords } from './send-words.js';

/** What may leave is read as git objects and without the words of withheld files; what stays here from the work tree. */
export type ReadFrom = { readonly kind: 'objects'; readonly isWithheld: PathMatch } | { readonly kind: 'work-tree' };

const nothingWithheld: PathMatch = () => false;

type Words = Pick<SendWords, 'kind' | 'range' | 'intent' | 'from' | 'to'>;

const NOTHING_PREPARED: PreparedInputs = new Map();

/** `NO_RANGE`, `INPUT_MISSING`, `USAGE`, `ITEM_UNREADABLE`. */
export const composeRun = async (
  repository: Repository,
  words: Words,
  readFrom: ReadFrom,
  signal: AbortSignal,
): Promise<ComposedKind> => {
  const isWithheld = readFrom.kind === 'objects' ? readFrom.isWithheld : nothingWithheld;
  const filesAt = (commit: string): RecordFiles =>
    readFrom.kind === 'work-tree' && repository.workTree !== null
      ? recordFilesInWorkTree(repository.workTree)
      : recordFilesAt(repository, commit, isWithheld, signal);
  switch (words.kind) {
    case 'intent_audit': {
      const range = await requireRange(repository, words);
      return composeAudit(filesAt(range.head), words.intent ?? '', range);
    }
    case 'intent_consistency':
      return composeConsistency(filesAt(await requireHead(repository, words)), words.intent);
    case 'release_changelog':
      return composeChangelog(repository, { from: words.from ?? '', to: words.to }, isWithheld, signal);
    case 'change_review':
    case 'source_question':
    case 'reading':
      return {
        prepared: NOTHING_PREPARED,
        range: await resolveRange({ repository, typed: words.range, kind: words.kind }),
        receipt: null,
        documents: [],
      };
    default:
      return words.kind satisfies never;
  }
};

const requireRange = async (repository: Repository, { kind, range: typed }: Words): Promise<CommitRange> => {
  const range = await resolveRange({ repository, typed, kind });
  if (range === null) throw new ColdsealError('INTERNAL', `${kind} was given no range`);
  return range;
};

const requireHead = async (repository: Repository, { kind }: Words): Promise<string> => {
  const head = await repository.head();
  if (head !== null) return head;
  throw new ColdsealError(
    'INPUT_MISSING',
    `${kind} reads the record tree at HEAD, and there is no commit yet. Commit first.`,
  );
};
