/**
 * The cut of a release: which records came and went between two revisions. A record is itself wherever its file moved, so
 * the two sides are compared by id.
 */
import { ColdsealError } from '../contract/error.js';
import type { PathMatch } from '../contract/path-glob.js';
import { printable } from '../contract/printable.js';
import { printablePath } from '../contract/printable-path.js';
import type { Repository } from '../contract/repository.js';
import type { ComposedKind } from './composed-kind.js';
import { textField } from './front-matter.js';
import { findSection, firstParagraph, headingsOf, titleOf } from './markdown-sections.js';
import { nextTag } from './next-tag.js';
import { type RecordFiles, recordFilesAt, withheldWords } from './record-files.js';
import { byId, type ReadRecord, readIntents, readResolvedIssues } from './record-tree.js';

export interface CutWords {
  /** The base, as typed after `--from`. */
  readonly from: string;
  /** The commit that `from` named when the cut was first made; left out, it is looked up. */
  readonly base?: string;
  /** As typed after `--to`; `null` is HEAD. */
  readonly to: string | null;
}

interface CutRecord {
  readonly id: string;
  readonly path: string;
  readonly impact: string | null;
  readonly title: string;
  readonly summary: string;
  readonly in_changelog: boolean;
  readonly in_press_release: boolean;
}

const revision = async (repository: Repository, name: string): Promise<string> => {
  const commit = await repository.resolveCommit(name);
  if (commit !== null) return commit;
  throw new ColdsealError(
    'NO_RANGE',
    `release_changelog needs two revisions, and "${printable(name)}" names no commit of this repository. Name them with \`--from TAG --to REV\`, or hand the work to the host with \`--route release-changelog-composer=host-decides\`.`,
  );
};

/** Intents that shipped and issues that are resolved, in id order, intents first. */
const readRecords = async (files: RecordFiles): Promise<readonly ReadRecord[]> => {
  const intents = await readIntents(files, (_, folder) => folder === 'shipped');
  const issues = await readResolvedIssues(files);
  return [...[...intents].sort(byId), ...[...issues].sort(byId)];
};

const isIntent = ({ id }: ReadRecord): boolean => id.startsWith('itd-');

/** The text before the first heading that is no title, where a record has no section to sum it up. */
const openingOf = (body: string): string => {
  const headings = headingsOf(body);
  const title = headings.find(({ level }) => level === 1);
  const start = title?.bodyStart ?? 0;
  return body.slice(start, headings.find((heading) => heading.start >= start)?.start ?? body.length);
};

/** Of a record that is withheld the cut says that it came or went, and nothing that it holds. */
const withheldRecord = ({ id, file }: ReadRecord): CutRecord => ({
  id,
  path: printablePath(file.path),
  impact: null,
  title: id,
  summary: withheldWords(file),
  in_changelog: true,
  in_press_release: false,
});

const cutRecord =
  (files: RecordFiles) =>
  (record: ReadRecord): CutRecord => {
    const { id, file, body } = record;
    if (files.isWithheld(file)) return withheldRecord(record);
    const impact = textField(record, 'impact');
    const told = textField(record, 'resolution') ?? findSection(body, 'Press Release')?.body ?? openingOf(body);
    // What is not known to be internal is told: leaving a change out of a changelog is the worse fault.
    const inChangelog = impact !== 'internal';
    return {
      id,
      path: printablePath(file.path),
      impact,
      title: titleOf(body) ?? textField(record, 'title') ?? textField(record, 'slug') ?? id,
      summary: firstParagraph(told),
      in_changelog: inChangelog,
      in_press_release: inChangelog && isIntent(record),
    };
  };

const without = (records: readonly ReadRecord[], others: readonly ReadRecord[]): readonly ReadRecord[] => {
  const ids = new Set(others.map(({ id }) => id));
  return records.filter(({ id }) => !ids.has(id));
};

/** `NO_RANGE` for a revision that is none. An empty cut is a cut. */
export const composeChangelog = async (
  repository: Repository,
  words: CutWords,
  isWithheld: PathMatch,
  signal: AbortSignal,
): Promise<ComposedKind> => {
  const base = words.base ?? (await revision(repository, words.from));
  const head = await revision(repository, words.to ?? 'HEAD');
  const now = recordFilesAt(repository, head, isWithheld, signal);
  const then = recordFilesAt(repository, base, isWithheld, signal);
  const before = await readRecords(then);
  const after = await readRecords(now);
  const added = without(after, before);
  const records = added.map(cutRecord(now));
  const removed = without(before, after).map(cutRecord(then));
  const next = nextTag(
    words.from,
    [...records, ...removed].map(({ impact }) => impact),
  );
  const cut = { ...(next === null ? {} : { next_tag: next }), base_tag: words.from, added: records, removed };
  const bytes = Buffer.from(`${JSON.stringify(cut, null, 2)}\n`);
  return {
    prepared: new Map([
      ['cut', [{ path: null, label: words.from, origin: { kind: 'text', bytes }, rawBytes: bytes.length }]],
      ['records', await Promise.all(added.map(({ file }) => now.item(file)))],
    ]),
    range: { base, head },
    receipt: null,
    documents: [{ suffix: 'request.json', bytes }],
  };
};
