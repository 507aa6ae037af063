/**
 * What every form of `scan` needs: the owner's settings, the scan threads and the profile of a change review. A scan also
 * works where there is no repository; then nobody's git names are known and the rest is the same.
 */

import { readSettings } from '../../config/read-settings.js';
import { ColdsealError } from '../../contract/error.js';
import type { Repository } from '../../contract/repository.js';
import type { Scanner } from '../../contract/scan.js';
import type { Settings } from '../../contract/settings.js';
import type { WindowBounds } from '../../pipeline/run-window.js';
import type { ScanWork } from '../../pipeline/scan-texts.js';
import type { BegunThreads } from '../../pool/begun-threads.js';
import { allowedFingerprints } from '../fingerprints.js';
import { openRunRepository, settingsFacts } from '../open-place.js';
import { openRunScanner } from '../open-run-scanner.js';
import { beginScanner } from '../open-scanner.js';
import { familiesOf, identityOf, makeProfile, ownersRules } from '../scan-profile.js';
import type { Surroundings } from '../surroundings.js';
import { tellNotices } from '../tell-notices.js';
import { type ByteGate, OPEN_GATE } from './byte-gate.js';
import { createSharedArena, type SharedArena } from './shared-arena.js';

export interface ScanSession extends ScanWork {
  readonly scanner: Scanner;
  /** The repository around the folder, or `null`. */
  readonly repository: Repository | null;
  readonly settings: Settings;
  readonly bounds: WindowBounds;
  readonly arena: SharedArena;
  readonly gate: ByteGate;
}

/** Gaps between batches and what is decoded beside them find room too. */
const ARENA_TIMES = 2;

const NOBODY = { names: [], emails: [] } as const;

/** `null` where there is none; a repository that is not safe to read refuses. */
const repositoryHere = async (surroundings: Surroundings): Promise<Repository | null> => {
  try {
    return await openRunRepository(surroundings);
  } catch (error) {
    if (error instanceof ColdsealError && error.code === 'NOT_A_REPOSITORY') return null;
    throw error;
  }
};

interface SessionParts {
  readonly repository: Repository | null;
  /** Of the person, as git's settings say. */
  readonly identity: ReturnType<Repository['identity']>;
  readonly settings: Settings;
  readonly scanner: Scanner;
}

const openSession = async (
  surroundings: Surroundings,
  { repository, identity, settings, scanner }: SessionParts,
): Promise<ScanSession> => {
  const owners = await ownersRules(settings.own);
  for (const note of owners.notes) surroundings.say(`coldseal: ${note}`);
  const profile = makeProfile({
    rulesDigest: scanner.rulesDigest,
    families: familiesOf('change_review', settings.own.families),
    identity: identityOf(surroundings, await identity),
    ownerRules: owners.rules,
  });
  return {
    scanner,
    profile,
    isAllowed: await allowedFingerprints(settings, surroundings.uid),
    repository,
    settings,
    // Two a thread: the next batch waits where the last one ends.
    bounds: {
      most: 2 * scanner.threads,
      mostBytes: settings.own.inFlightBytes,
      signal: surroundings.signal,
    },
    arena: surroundings.sharedArena ?? createSharedArena(ARENA_TIMES * settings.own.inFlightBytes),
    gate: surroundings.sharedGate ?? OPEN_GATE,
  };
};

/** Opens all of it, runs `work`, and closes it whatever happens. `CONFIG_*`, `GIT_*`, `SCANNER_DEGRADED`. */
export const withScanSession = async <T>(
  surroundings: Surroundings,
  work: (session: ScanSession) => Promise<T>,
): Promise<T> => {
  // Loads its tables while git is asked and settings are read.
  const begun = beginScanner(surroundings);
  try {
    const repository = await repositoryHere(surroundings);
    try {
      return await withSessionIn(surroundings, repository, work, begun);
    } finally {
      await repository?.close();
    }
  } finally {
    await begun?.drop();
  }
};

/** The same for a scan that is about no folder: the machine's settings alone, and no repository is looked for. */
export const withMachineScanSession = <T>(
  surroundings: Surroundings,
  work: (session: ScanSession) => Promise<T>,
): Promise<T> => withSessionIn(surroundings, null, work, null);

const withSessionIn = async <T>(
  surroundings: Surroundings,
  repository: Repository | null,
  work: (session: ScanSession) => Promise<T>,
  begun: BegunThreads | null,
): Promise<T> => {
  // Asked while the thread starts; a fault is told where the answer is needed.
  const identity = repository?.identity() ?? Promise.resolve(NOBODY);
  identity.catch(() => undefined);
  const settings = await readSettings(settingsFacts(surroundings, repository));
  tellNotices(surroundings, settings.notices);
  const scanner = await openRunScanner(surroundings, settings.own, begun);
  try {
    return await work(await openSession(surroundings, { repository, identity, settings, scanner }));
  } finally {
    await scanner.close();
  }
};
