/**
 * `reading assemble`: the items of one reading, taken from the objects of one commit and parked on this machine. Nothing is
 * sent and nothing is recorded; what leaves is judged when the run is dispatched.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseList, chooseWithhold } from '../admission/choose-bundle-limits.js';
import { compileWithheld } from '../admission/withheld-paths.js';
import { estimateTokens } from '../contract/bundle.js';
import { ColdsealError } from '../contract/error.js';
import { countItems } from '../contract/item-bounds.js';
import type { Position } from '../contract/reading.js';
import type { Repository } from '../contract/repository.js';
import { type HostFolder, removeEmptyFolder, removeHostFile, writeHostFile } from '../dispatch/host-files.js';
import { READING_FILES, READING_RUN_FOLDERS } from '../kinds/parked-reading.js';
import { ASSEMBLER_VERSION } from '../kinds/reading-item-kind.js';
import {
  type Exclusion,
  exclusion,
  isIncluded,
  type ReadingEntry,
  type SelectedReading,
  type SelectRequest,
  selectReading,
} from '../kinds/select-reading.js';
import { type AssembledItems, bundleChunks, gathered, manifestChunks } from '../kinds/write-reading.js';
import { gatherHidden, judgeWithheld } from '../plan/withheld-blobs.js';
import { projectOf } from './choose-project.js';
import { type Place, withPlace } from './open-place.js';
import { readFiles } from './read-reading-files.js';
import { entryOf, requirePosition, targetOf } from './reading-target.js';
import { refuseDirty } from './refuse-dirty.js';
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

export const assembleReading = (surroundings: Surroundings, words: AssembleWords): Promise<AssembledReading> =>
  withPlace(surroundings, async (place) => {
    const { signal, say } = surroundings;
    for (const notice of place.settings.notices) say(`coldseal: ${notice}`);
    const { repository } = place;
    const position = requirePosition(words.position);
    const commit = await targetOf(repository, words.target);
    const entry = await entryOf(repository, commit, position);
    await refuseDirty(repository, entry, surroundings);
    const selected = selectReading({ position, entry, ...(await treeOf(place, commit, entry)) });
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

/** What the include list meets of a commit, and which of it is withheld; the rest of the tree is not held. */
const treeOf = async (
  place: Place,
  commit: string,
  entry: ReadingEntry,
): Promise<Pick<SelectRequest, 'tree' | 'isWithheld'>> => {
  const project = await projectOf(place);
  const isWithheld = compileWithheld({
    withhold: chooseWithhold(place.settings.bundles, project),
    list: chooseList('reading', project).entries,
  });
  const hidden = gatherHidden(isWithheld);
  const isMet = isIncluded({ include: entry.include, exclude: [] });
  const isTaken = isIncluded(entry);
  const count = countItems('The reading would have', 'Narrow the include list.');
  const tree = await place.repository.listTree(commit, (row) => {
    hidden.take(row);
    if (!isMet(row.path)) return false;
    if (!isWithheld(row.path) && isTaken(row.path)) count();
    return true;
  });
  const format = place.repository.objectFormat;
  const judge = judgeWithheld({ format, isWithheld, changes: [], hidden: hidden.ids });
  return { tree, isWithheld: ({ path, objectId }) => judge.isWithheld(path, [objectId]) };
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
