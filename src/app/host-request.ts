/**
 * The request files of a run that stays on this machine, as they are: unscanned, uncapped, in the work tree's present
 * form. Nothing about bundles applies here, so nothing here may ever be sent to a remote provider.
 */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { chooseList } from '../admission/choose-bundle-limits.js';
import { LARGEST_CAP_BYTES } from '../contract/bundle.js';
import type { LoadedItem } from '../contract/item.js';
import { printablePath } from '../contract/printable-path.js';
import type { ComposedKind } from '../kinds/composed-kind.js';
import { planBundle } from '../plan/plan-bundle.js';
import { openItems } from '../source/open-items.js';
import type { ProjectOfRun } from './choose-project.js';
import type { Place } from './open-place.js';
import type { SendWords } from './send-words.js';

/** What a file says in the work tree now, or `null` where there is no such regular file inside it. */
const presentBytes = async (workTree: string | null, path: Uint8Array): Promise<Uint8Array | null> => {
  if (workTree === null) return null;
  const name = Buffer.from(path).toString('utf8');
  if (!Buffer.from(name, 'utf8').equals(path)) return null;
  const at = join(workTree, name);
  try {
    const real = await realpath(at);
    if (!real.startsWith((await realpath(workTree)) + sep)) return null;
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return (await file.stat()).isFile() ? await file.readFile() : null;
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
};

const headOf = ({ item }: LoadedItem): string =>
  `\n===== ${item.input} ${item.path === null ? (item.label ?? '') : printablePath(item.path)} =====\n`;

/** The request's text: every item of the kind's list under a line with its name. Owned by the caller. */
export const hostRequest = async (
  { repository }: Pick<Place, 'repository'>,
  { kind }: Pick<SendWords, 'kind'>,
  project: ProjectOfRun,
  { prepared, range }: Pick<ComposedKind, 'prepared' | 'range'>,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const list = chooseList(kind, project);
  const plan = await planBundle({
    kind,
    entries: list.entries,
    listOrigin: list.origin,
    range,
    repository,
    prepared,
    isWithheld: () => false,
    capBytes: LARGEST_CAP_BYTES,
  });
  const parts: Uint8Array[] = [];
  for await (const batch of openItems({ plan, repository, capBytes: LARGEST_CAP_BYTES, signal })) {
    for (const loaded of batch) {
      const { item, text } = loaded;
      const isFile = item.path !== null && item.origin.kind === 'blob';
      const present = isFile && item.path !== null ? await presentBytes(repository.workTree, item.path) : null;
      parts.push(Buffer.from(headOf(loaded), 'utf8'), present ?? text);
    }
  }
  return Buffer.concat(parts);
};
