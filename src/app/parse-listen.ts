/** An address to listen on as it is typed, by the grammar of `coldseal.service.listen`. */
import { parseListenAddress } from '../config/own-schema.js';
import { ColdsealError } from '../contract/error.js';
import type { ListenAddress } from '../contract/settings.js';

/** `USAGE`. */
export const parseListen = (typed: string): ListenAddress => {
  const read = parseListenAddress(typed);
  if (read.ok) return read.value;
  throw new ColdsealError('USAGE', `--listen ${read.wrong}`);
};
