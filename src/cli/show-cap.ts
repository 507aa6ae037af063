/** A cap for a person: in the unit it is written in, to the byte, and where it comes from. */
import { showBytes, showCount } from '../contract/show-amount.js';

interface CapFacts {
  readonly bytes: number;
  readonly origin: string;
  readonly key: string;
}

/** `8.0 MiB, 8,388,608 bytes (project; KEY)`. */
export const showCap = ({ bytes, origin, key }: CapFacts): string =>
  `${bytes < 1024 ? '' : `${showBytes(bytes)}, `}${showCount(bytes)} bytes (${origin}; ${key})`;
