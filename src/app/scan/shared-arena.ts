/**
 * Memory that threads share, used again and again. V8 does not count shared memory when it decides to collect garbage, so
 * a scan that took fresh memory for every batch would grow by all it reads. A batch takes what it needs and gives it back
 * when its reports are made; what is larger than the arena gets memory of its own, kept for the next large one.
 */

export interface Lease {
  /** `bytes` of shared memory, its content left from before. Valid until the lease ends. */
  take(bytes: number): Uint8Array;
  release(): void;
}

export interface SharedArena {
  lease(): Lease;
}

interface Piece {
  readonly start: number;
  readonly end: number;
}

/** Pieces start on a cache line of their own. */
const ALIGNMENT = 64;

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** `bytes` are taken from the system as they are first written to, not before. */
export const createSharedArena = (bytes: number): SharedArena => {
  const arena = new SharedArrayBuffer(bytes);
  /** In use, by their start. */
  const used: Piece[] = [];
  let spare: SharedArrayBuffer | null = null;

  /** The first gap from the front: a scan of small files keeps to little memory. */
  const place = (size: number): Piece | null => {
    let start = 0;
    let index = 0;
    for (; index < used.length; index += 1) {
      const next = used[index];
      if (next === undefined || next.start - start >= size) break;
      start = next.end;
    }
    if (start + size > bytes) return null;
    const piece = { start, end: start + size };
    used.splice(index, 0, piece);
    return piece;
  };

  const takeSpare = (size: number): SharedArrayBuffer => {
    const kept = spare;
    spare = null;
    if (kept !== null && kept.byteLength >= size) return kept;
    // Powers of two: the next large text mostly fits.
    return new SharedArrayBuffer(2 ** Math.ceil(Math.log2(size)));
  };

  return {
    lease: () => {
      const pieces: Piece[] = [];
      const large: SharedArrayBuffer[] = [];
      return {
        take: (size) => {
          const piece = place(aligned(size));
          if (piece !== null) {
            pieces.push(piece);
            return new Uint8Array(arena, piece.start, size);
          }
          const buffer = takeSpare(size);
          large.push(buffer);
          return new Uint8Array(buffer, 0, size);
        },
        release: () => {
          for (const piece of pieces.splice(0)) used.splice(used.indexOf(piece), 1);
          for (const buffer of large.splice(0)) {
            if (spare === null || spare.byteLength < buffer.byteLength) spare = buffer;
          }
        },
      };
    },
  };
};
