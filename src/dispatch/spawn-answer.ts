/**
 * What a spawned program wrote, as an answer or as the failure it is. A file that is there is no answer by being there: a
 * placeholder that a tool writes first, or the noise of a progress line, says nothing about the bundle.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { WholeAnswer } from './answer-draft.js';
import { callFailure, faultCode } from './call-failure.js';
import { parseJson } from './json-shape.js';
import { stripFence } from './strip-fence.js';

/** Words that tools leave where an answer is due; compared without signs and in lower case. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(
  [
    'todo tbd fixme placeholder pending loading thinking working waiting processing generating running',
    'null nil undefined nan output answer result response text content',
  ]
    .flatMap((line) => line.split(' '))
    .concat(['no output', 'no answer', 'no response', 'no content', 'not available', 'please wait', 'object object'])
    .concat(['your answer here', 'insert answer here', 'in progress', 'not yet', 'to be done', 'lorem ipsum']),
);

// Terminal control sequences, so that a spinner is seen to be one.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what a terminal sequence begins with.
const TERMINAL = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g;

type Written = { readonly kind: 'text' | 'empty' | 'noise' };

/** Whether the text says anything: a JSON list or object, or letters or digits that are more than one of the words above. */
export const judgeWritten = (text: string): Written => {
  if (text.trim() === '') return { kind: 'empty' };
  const value = parseJson(stripFence(text));
  if (typeof value === 'object' && value !== null) return { kind: 'text' };
  const words = text
    .replace(TERMINAL, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return { kind: words === '' || PLACEHOLDERS.has(words) ? 'noise' : 'text' };
};

/** The answer, or the failure that the output is. `bytes` are the program's, whole. */
export const answerOf = (bytes: Uint8Array, emptyOutput: 'fail' | 'accept'): WholeAnswer => {
  const text = decoded(bytes);
  const { kind } = judgeWritten(text);
  if (kind === 'noise') {
    throw callFailure(
      'PROVIDER_EMPTY',
      `The ${bytes.length} bytes the program wrote are a placeholder, not an answer.`,
    );
  }
  if (kind === 'empty' && emptyOutput === 'fail') {
    throw callFailure('PROVIDER_EMPTY', 'The program ended well and wrote nothing.');
  }
  const notes = [
    'The provider did not report a model.',
    ...(kind === 'empty' ? ['The program wrote nothing, which `empty_output` accepts.'] : []),
  ];
  return { text: kind === 'empty' ? '' : text, notes, finishReason: null, modelReported: null, usage: null, id: null };
};

const decoded = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw callFailure('PROVIDER_ANSWER_INVALID', `The ${bytes.length} bytes the program wrote are not UTF-8.`);
  }
};

/** The bytes of the file that the program was to write; none where it wrote none. */
export const readOutputFile = async (path: string, mostBytes: number): Promise<Uint8Array> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      const fault = faultCode(error);
      if (fault === 'ENOENT') return null;
      throw callFailure('PROVIDER_ANSWER_INVALID', `The program's output file cannot be read: ${fault}.`, { fault });
    },
  );
  if (file === null) return new Uint8Array();
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw callFailure('PROVIDER_ANSWER_INVALID', 'The program’s output is no regular file.');
    if (facts.size > mostBytes) throw tooLarge(mostBytes);
    return await file.readFile();
  } finally {
    await file.close();
  }
};

export const tooLarge = (mostBytes: number): Error =>
  callFailure('PROVIDER_TOO_LARGE', `The program wrote over ${mostBytes} bytes.`, { most_bytes: mostBytes });
