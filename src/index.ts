/**
 * The library: what the command line does, for programs. A send takes words and surroundings and gives back the same
 * document that `--json` prints.
 */

export { sendBundle } from './app/send-bundle.js';
export type { SendResult } from './app/send-result.js';
export type { SendWords } from './app/send-words.js';
export { gatherSurroundings, type Surroundings } from './app/surroundings.js';
export { CODES, type Code } from './contract/codes.js';
export type { OutcomeDocument } from './contract/documents.js';
export { ColdsealError } from './contract/error.js';
export type { Observe, RunEvent } from './contract/observer.js';
