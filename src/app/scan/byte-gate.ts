/**
 * Texts under way in a program that answers many at once. Each scan bounds its own; this bounds them all together, so that
 * memory, and what one turn of the event loop has to do, are a function of settings and not of how many clients there are.
 */

export interface ByteGate {
  /** Resolves, first come first served, when there is room or nothing else is under way; calling the result makes room again. */
  enter(bytes: number): Promise<() => void>;
}

/** For a program with one scan, which bounds itself. */
export const OPEN_GATE: ByteGate = { enter: () => Promise.resolve(() => undefined) };

interface Waiter {
  readonly bytes: number;
  readonly enter: () => void;
}

/** @param most pieces inside at once */
export const createByteGate = (mostBytes: number, most: number = Number.POSITIVE_INFINITY): ByteGate => {
  const line: Waiter[] = [];
  let inside = 0;
  let bytesInside = 0;

  const hasRoom = (bytes: number): boolean => inside === 0 || (inside < most && bytesInside + bytes <= mostBytes);
  const admit = (bytes: number): void => {
    inside += 1;
    bytesInside += bytes;
  };
  const leave = (bytes: number): void => {
    inside -= 1;
    bytesInside -= bytes;
    for (let next = line[0]; next !== undefined && hasRoom(next.bytes); next = line[0]) {
      line.shift();
      admit(next.bytes);
      next.enter();
    }
  };

  return {
    enter: async (bytes) => {
      if (line.length === 0 && hasRoom(bytes)) admit(bytes);
      else await new Promise<void>((enter) => line.push({ bytes, enter }));
      let isInside = true;
      return () => {
        if (isInside) leave(bytes);
        isInside = false;
      };
    },
  };
};
