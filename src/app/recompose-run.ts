/**
 * What a recorded run composed for itself, made again from the commits that its record names. A brief, a question and a
 * parked reading are not kept, and nothing is guessed in their place.
 */
import { ColdsealError } from '../contract/error.js';
import type { CommitRange } from '../contract/item.js';
import type { PathMatch } from '../contract/path-glob.js';
import { printable } from '../contract/printable.js';
import type { RecordedBundle, RecordRow } from '../contract/record.js';
import type { Repository } from '../contract/repository.js';
import { composeAudit } from '../kinds/compose-audit.js';
import { composeChangelog } from '../kinds/compose-changelog.js';
import { composeConsistency } from '../kinds/compose-consistency.js';
import type { ComposedKind } from '../kinds/composed-kind.js';
import { receiptOf, sha256Hex } from '../kinds/provenance.js';
import { type RecordFiles, recordFilesAt } from '../kinds/record-files.js';
import { readIntents } from '../kinds/record-tree.js';

export type StartRow = Extract<RecordRow, { readonly event: 'start' }>;

/** Why a bundle cannot be made again, as the end of a sentence. */
export class CannotRebuild extends Error {}

export interface Recomposed extends ComposedKind {
  /** The commit that was read, for kinds without a range. */
  readonly readAt: CommitRange;
}

/** Throws `CannotRebuild`, or the refusal of whatever cannot be read. */
export const recomposeRun = async (
  repository: Repository,
  { digests }: StartRow,
  bundle: RecordedBundle,
  isWithheld: PathMatch,
  signal: AbortSignal,
): Promise<Recomposed> => {
  if (bundle.kind === 'reading') throw new CannotRebuild('the parked reading is not kept');
  if (digests['question'] !== undefined) throw new CannotRebuild('the question is not kept');
  if (digests['brief'] !== undefined) throw new CannotRebuild('the brief is not kept');
  const readAt = await readPlace(repository, digests['commit'], bundle);
  const files = recordFilesAt(repository, readAt.head, isWithheld, signal);
  const composed = await composeAgain(repository, bundle, readAt, files, isWithheld, signal);
  return { ...composed, readAt };
};

const composeAgain = (
  repository: Repository,
  bundle: RecordedBundle,
  range: CommitRange,
  files: RecordFiles,
  isWithheld: PathMatch,
  signal: AbortSignal,
): Promise<ComposedKind> => {
  switch (bundle.kind) {
    case 'change_review':
      return Promise.resolve({ prepared: new Map(), range, receipt: null, documents: [] });
    case 'intent_audit':
      return composeAudit(files, auditedIntent(bundle), range);
    case 'intent_consistency':
      return consistencyAgain(files, bundle);
    case 'release_changelog': {
      const from = labelOf(bundle, 'cut', 'the name of the release’s base');
      return composeChangelog(repository, { from, to: range.head, base: range.base }, isWithheld, signal);
    }
    default:
      throw new CannotRebuild(`its kind ${printable(bundle.kind)} is not known here`);
  }
};

const readPlace = async (
  repository: Repository,
  commit: string | undefined,
  { range }: RecordedBundle,
): Promise<CommitRange> => {
  const place = range ?? (commit === undefined ? null : { base: commit, head: commit });
  if (place === null) throw new CannotRebuild('the commit that was read is not in the record');
  for (const id of new Set([place.base, place.head])) {
    if (id === repository.emptyTree || (await repository.resolveCommit(id)) === id) continue;
    throw new CannotRebuild(`the commit ${printable(id)} is not in this repository`);
  }
  return place;
};

const auditedIntent = ({ items }: RecordedBundle): string => {
  const path = items.find(({ input }) => input === 'intent')?.path ?? '';
  const [, id] = /(?:^|\/)(itd-\d+)-[^/]*$/.exec(path) ?? [];
  if (id === undefined) throw new CannotRebuild('the audited intent is not named in the record');
  return id;
};

const labelOf = ({ items }: RecordedBundle, input: string, what: string): string => {
  const label = items.find((item) => item.input === input)?.label;
  if (label === undefined || label === '[withheld]') throw new CannotRebuild(`${what} is not in the record`);
  return label;
};

/** The receipt tells whether one intent was asked about, and which. */
const consistencyAgain = async (files: RecordFiles, bundle: RecordedBundle): Promise<ComposedKind> => {
  const receipt = labelOf(bundle, 'request', 'the receipt');
  const whole = await composeConsistency(files, null);
  if (whole.receipt === receipt) return whole;
  const corpus = whole.documents.find(({ suffix }) => suffix === 'corpus.md');
  const hash = sha256Hex(Buffer.from(corpus?.bytes ?? []).toString('utf8'));
  const intents = await readIntents(files, (_, folder) => folder !== 'superseded');
  const asked = intents.find(({ id }) => receiptOf('consistency', id, hash) === receipt);
  return asked === undefined ? whole : composeConsistency(files, asked.id);
};

/** A refusal on the way is a reason too: what cannot be read cannot be rebuilt. */
export const reasonOf = (error: unknown): string | null => {
  if (error instanceof CannotRebuild) return error.message;
  return error instanceof ColdsealError && error.code !== 'INTERNAL' ? `${error.code}: ${error.message}` : null;
};
