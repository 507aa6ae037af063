/**
 * TLS sessions of a program that makes many calls. Each call has a connection of its own; one to a provider whose
 * certificate was verified a moment ago resumes that session, as browsers and curl do, and neither side signs or verifies
 * anew.
 *
 * A session is good for the roots it was verified with, the name, and the port, and no other, for ten minutes after the
 * certificate was looked at; it is never written down, and a handshake that fails with it takes it away. Nothing is sent
 * before the handshake is over.
 */

/** The session of one place, verified with one list of roots. */
export interface SessionPlace {
  /** `undefined` for none. */
  known(): Buffer | undefined;
  /** One whose certificate was verified just now. */
  keep(session: Buffer): void;
  drop(): void;
}

/** `undefined` stands for the platform's own roots. Lists are told apart by identity. */
export type TlsSessions = (roots: readonly string[] | undefined, place: string) => SessionPlace;

const MOST_AGE_MS = 10 * 60_000;
/** Places that one program calls at once. */
const MOST_PLACES = 64;

interface KeptSession {
  readonly session: Buffer;
  readonly keptMs: number;
}

export const rememberSessions = (monotonicMs: () => number): TlsSessions => {
  const platform: readonly string[] = [];
  const byRoots = new WeakMap<readonly string[], Map<string, KeptSession>>();
  return (roots = platform, place) => ({
    known: () => {
      const kept = byRoots.get(roots)?.get(place);
      return kept !== undefined && monotonicMs() - kept.keptMs <= MOST_AGE_MS ? kept.session : undefined;
    },
    keep: (session) => {
      const places = byRoots.get(roots) ?? new Map<string, KeptSession>();
      byRoots.set(roots, places);
      if (places.size >= MOST_PLACES) places.clear();
      places.set(place, { session, keptMs: monotonicMs() });
    },
    drop: () => {
      byRoots.get(roots)?.delete(place);
    },
  });
};
