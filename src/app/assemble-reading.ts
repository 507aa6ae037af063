/**
 * `reading assemble`: the items of one reading, taken from the objects of one commit and parked on this machine. Nothing is
 * sent and nothing is recorded; what leaves is judged when the run is dispatched.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseList, chooseWithhold } from '../admission/choose-bundle-limits.js';
import { compileWithheld } from '../admission/withheld-paths.js';
import { type PresetEntry, READING_PRESETS_PATH, readReadingPresets } from '../config/reading-presets.js';
import { estimateTokens, LARGEST_CAP_BYTES } from '../contract/bundle.js';
import { ColdsealError } from '../contract/error.js';
import type { ItemPlan, PlannedItem } from '../contract/item.js';
import { printable } from '../contract/printable.js';
import { printablePath } from '../contract/printable-path.js';
import { isPosition, LARGEST_READING_FILE_BYTES, POSITIONS, type Position } from '../contract/reading.js';
import type { Repository, TreeEntry } from '../contract/repository.js';
import { type HostFolder, removeEmptyFolder, removeHostFile, writeHostFile } from '../dispatch/host-files.js';
import { findDirty } from '../kinds/find-dirty.js';
import { READING_FILES, READING_RUN_FOLDERS } from '../kinds/parked-reading.js';
import { ASSEMBLER_VERSION } from '../kinds/reading-item-kind.js';
import { type Exclusion, exclusion, isIncluded, type SelectedReading, selectReading } from '../kinds/select-reading.js';
import { type AssembledItems, bundleChunks, gathered, manifestChunks, type ReadFile } from '../kinds/write-reading.js';
import { judgeWithheld } from '../plan/withheld-blobs.js';
import { openItems } from '../source/open-items.js';
import { projectOf } from './choose-project.js';
import { type Place, withPlace } from './open-place.js';
import type { Surroundings } from './surroundings.js';

export interface AssembleWords {
  readonly position: string;
  /** `HEAD` or a commit id. */
  readonly target: string;
  readonly dryRun: boolean;
}

export interface AssembledReading {
  readonly outcome: 'parked' | 'planned';
  readonly run_id: string | null;
  /** The run's folder from the work tree's root. */
  readonly path: string | null;
  readonly position: Position;
  readonly target_commit: string;
  readonly assembler_version: string;
  readonly preset_hash: string;
  readonly context_stamp: string;
  readonly items: number;
  readonly unscanned: number;
  readonly bytes: number;
  readonly tokens_est: number;
  readonly exclusions: readonly Exclusion[];
}

const MOST_PRESETS_BYTES = 1024 * 1024;
const COMMIT_ID = /^[0-9a-f]{4,64}$/i;
const SUBMODULE = 'commit';

export const assembleReading = (surroundings: Surroundings, words: AssembleWords): Promise<AssembledReading> =>
  withPlace(surroundings, async (place) => {
    const { signal, say } = surroundings;
    for (const notice of place.settings.notices) say(`coldseal: ${notice}`);
    const { repository } = place;
    const position = requirePosition(words.position);
    const commit = await targetOf(repository, words.target);
    const tree = await repository.listTree(commit);
    const entry = await entryOf(repository, tree, position);
    await refuseDirty(repository, entry, surroundings);
    const selected = selectReading({ position, entry, tree, isWithheld: await withheldIn(place, tree) });
    const found: AssembledItems = { rows: [], binary: [] };
    const facts = { position, preset: selected.preset, contextStamp: selected.contextStamp };
    const pieces = bundleChunks(facts, readFiles(repository, selected.files, signal), found);
    const told = { selected, found, position, commit };
    if (words.dryRun) {
      for await (const _piece of pieces) signal.throwIfAborted();
      return describe(told, null, null);
    }
    const runId = await freeRunId(repository, surroundings);
    const folder = runFolder(repository, surroundings, runId);
    try {
      await writeHostFile(folder, READING_FILES.bundle, gathered(pieces));
      requireItems(found);
      const manifest = { ...facts, runId, targetCommit: commit, presetHash: selected.presetHash };
      const exclusions = exclusionsOf(selected, found);
      const rows = manifestChunks({ ...manifest, exclusions }, found.rows);
      await writeHostFile(folder, READING_FILES.manifest, gathered(rows));
    } catch (error) {
      // A run is whole or not there.
      await removeHostFile(folder, READING_FILES.bundle).catch(() => undefined);
      await removeEmptyFolder(folder).catch(() => undefined);
      throw error;
    }
    return describe(told, runId, [...READING_RUN_FOLDERS, runId].join('/'));
  });

const requirePosition = (typed: string): Position => {
  if (isPosition(typed)) return typed;
  throw new ColdsealError('USAGE', `"${printable(typed)}" is no position; there are ${POSITIONS.join(', ')}.`);
};

const targetOf = async (repository: Repository, target: string): Promise<string> => {
  if (target !== 'HEAD' && !COMMIT_ID.test(target)) {
    throw new ColdsealError('USAGE', `"${printable(target)}" is no target; write HEAD or a commit id.`);
  }
  const commit = target === 'HEAD' ? await repository.head() : await repository.resolveCommit(target);
  if (commit !== null) return commit;
  if (target === 'HEAD') throw new ColdsealError('INPUT_MISSING', 'There is no commit yet to read. Commit first.');
  throw new ColdsealError('USAGE', `${target} names no commit of this repository.`);
};

/** The position's entry in the presets of the commit that is read. */
const entryOf = async (
  repository: Repository,
  tree: readonly TreeEntry[],
  position: Position,
): Promise<PresetEntry> => {
  const wanted = Buffer.from(READING_PRESETS_PATH);
  const file = tree.find(({ path, mode }) => wanted.equals(path) && mode.startsWith('100'));
  if (file === undefined) {
    throw new ColdsealError(
      'INPUT_MISSING',
      `${READING_PRESETS_PATH} is no file of the commit that is read, so nothing says what a reading is made of. Commit it.`,
      { facts: { input: 'items' } },
    );
  }
  const entry = readReadingPresets(await repository.readBlob(file.objectId, MOST_PRESETS_BYTES)).get(position);
  if (entry !== undefined) return entry;
  throw new ColdsealError('INPUT_MISSING', `${READING_PRESETS_PATH} has no entry for the ${position} position.`, {
    facts: { input: 'items' },
  });
};

const withheldIn = async (place: Place, tree: readonly TreeEntry[]): Promise<(entry: TreeEntry) => boolean> => {
  const project = await projectOf(place);
  const isWithheld = compileWithheld({
    withhold: chooseWithhold(place.settings.bundles, project),
    list: chooseList('reading', project).entries,
  });
  const judge = judgeWithheld({ format: place.repository.objectFormat, isWithheld, changes: [], entries: tree });
  return ({ path, objectId }) => judge.isWithheld(path, [objectId]);
};

/**
 * A reading is of a commit. Whoever has changed an included file since would take the one for the other, so a path that is
 * not as HEAD has it refuses, whatever commit is read; files that git does not know yet are told.
 */
const refuseDirty = async (repository: Repository, entry: PresetEntry, surroundings: Surroundings): Promise<void> => {
  const { workTree } = repository;
  const head = await repository.head();
  if (workTree === null || head === null) return;
  const meets = isIncluded(entry);
  const committed = await repository.listTree(head);
  const changed = await findDirty(
    repository,
    workTree,
    committed.filter(({ path }) => meets(path)),
    surroundings.signal,
  );
  const staged = (await repository.stagedFiles()).filter(({ path }) => meets(path));
  const dirty = [...new Set([...changed, ...staged].map(({ path }) => printablePath(path)))].sort();
  if (dirty.length > 0) {
    const shown = dirty.slice(0, SHOWN_PATHS).join(', ');
    const more = dirty.length > SHOWN_PATHS ? ` and ${dirty.length - SHOWN_PATHS} more` : '';
    throw new ColdsealError(
      'READING_INVALID',
      `${dirty.length === 1 ? 'An included file is' : `${dirty.length} included files are`} not as committed: ${shown}${more}. A reading is of a commit; commit or restore first.`,
      { facts: { dirty: dirty.length } },
    );
  }
  await tellUnknown(repository, committed, meets, surroundings);
};

const SHOWN_PATHS = 10;

const tellUnknown = async (
  repository: Repository,
  committed: readonly TreeEntry[],
  meets: (path: Uint8Array) => boolean,
  { say }: Pick<Surroundings, 'say'>,
): Promise<void> => {
  const known = new Set(committed.map(({ path }) => Buffer.from(path).toString('latin1')));
  const present = await repository.listWorkTree([]);
  const unknown = present.filter((path) => meets(path) && !known.has(Buffer.from(path).toString('latin1')));
  if (unknown.length === 0) return;
  say(
    `coldseal: ${unknown.length} untracked ${unknown.length === 1 ? 'file meets' : 'files meet'} the include list and ${unknown.length === 1 ? 'is' : 'are'} not in the reading`,
  );
};

/** Each file once, in order; `null` for what is no text. Nothing is read ahead. */
async function* readFiles(
  repository: Repository,
  files: readonly TreeEntry[],
  signal: AbortSignal,
): AsyncGenerator<ReadFile, void, undefined> {
  const plan = await planFiles(repository, files);
  for await (const batch of openItems({ plan, repository, capBytes: LARGEST_CAP_BYTES, signal })) {
    for (const { item, text, omitted } of batch) {
      yield { path: item.path ?? new Uint8Array(0), text: omitted === null ? text : null };
    }
  }
}

/** Sizes are judged before anything is read. */
const planFiles = async (repository: Repository, files: readonly TreeEntry[]): Promise<ItemPlan> => {
  const blobs = files.filter(({ type }) => type !== SUBMODULE);
  const sizes = await repository.blobSizes(blobs.map(({ objectId }) => objectId));
  const sizeOf = new Map(blobs.map((entry, at) => [entry, sizes[at] ?? 0]));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > LARGEST_READING_FILE_BYTES) {
    throw new ColdsealError(
      'ITEM_TOO_LARGE',
      `The included files have ${total} bytes; a reading has at most ${LARGEST_READING_FILE_BYTES} (256 MiB). Narrow the include list.`,
      { facts: { bytes: total, limit_bytes: LARGEST_READING_FILE_BYTES } },
    );
  }
  const items = files.map((file, at): PlannedItem => {
    const place = { id: `itm-${at + 1}`, input: 'items', path: file.path, label: null, withheld: false } as const;
    const { objectId, mode } = file;
    if (file.type !== SUBMODULE) {
      return { ...place, origin: { kind: 'blob', objectId, mode }, rawBytes: sizeOf.get(file) ?? 0 };
    }
    const bytes = Buffer.from(`Subproject commit ${objectId}\n`);
    return { ...place, origin: { kind: 'text', bytes }, rawBytes: bytes.length };
  });
  return { kind: 'reading', listOrigin: 'compiled', range: null, items, deleted: [] };
};

const requireItems = ({ rows, binary }: AssembledItems): void => {
  if (rows.length > 0) return;
  throw new ColdsealError(
    'INPUT_MISSING',
    `None of the ${binary.length} included files is text, so the reading would have no item. Correct the include list.`,
    { facts: { input: 'items' } },
  );
};

const RUN_DRAWS = 16;

/** `rdg-` and 16 digits: the time in UTC to the second, then four drawn ones, so that runs sort by their age. */
const freeRunId = async (
  { workTree }: Pick<Repository, 'workTree'>,
  { now, random }: Pick<Surroundings, 'now' | 'random'>,
): Promise<string> => {
  for (let draw = 0; draw < RUN_DRAWS; draw += 1) {
    const time = now().toISOString().replace(/\D/g, '').slice(2, 14);
    const [high = 0, low = 0] = random(2);
    const id = `rdg-${time}${String((high * 256 + low) % 10_000).padStart(4, '0')}`;
    if (workTree === null) return id;
    if ((await lstat(join(workTree, ...READING_RUN_FOLDERS, id)).catch(() => null)) === null) return id;
  }
  throw new ColdsealError('STATE_UNSAFE', `${RUN_DRAWS} ids in a row name a run that is parked already; try again.`);
};

const runFolder = (repository: Repository, { random }: Pick<Surroundings, 'random'>, runId: string): HostFolder => ({
  workTree: repository.workTree,
  folders: [...READING_RUN_FOLDERS.slice(2), runId],
  isTracked: (path) => repository.isTracked(path),
  randomName: () => Buffer.from(random(6)).toString('hex'),
});

interface Told {
  readonly selected: SelectedReading;
  readonly found: AssembledItems;
  readonly position: Position;
  readonly commit: string;
}

const exclusionsOf = ({ exclusions }: SelectedReading, { binary }: AssembledItems): readonly Exclusion[] =>
  [...exclusions, ...binary.map((path) => exclusion({ path }, 'binary'))].sort((a, b) =>
    a.path < b.path ? -1 : a.path > b.path ? 1 : 0,
  );

const describe = (
  { selected, found, position, commit }: Told,
  runId: string | null,
  path: string | null,
): AssembledReading => {
  requireItems(found);
  const bytes = found.rows.reduce((sum, row) => sum + row.bytes, 0);
  return {
    outcome: runId === null ? 'planned' : 'parked',
    run_id: runId,
    path,
    position,
    target_commit: commit,
    assembler_version: ASSEMBLER_VERSION,
    preset_hash: selected.presetHash,
    context_stamp: selected.contextStamp,
    items: found.rows.length,
    unscanned: found.rows.filter(({ scan }) => scan === 'unscanned').length,
    bytes,
    tokens_est: estimateTokens(bytes),
    exclusions: exclusionsOf(selected, found),
  };
};
