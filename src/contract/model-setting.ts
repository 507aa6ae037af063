/**
 * What each model setting of the closed list may be. One table for the machine file, the repository's rows and `--set`,
 * so a setting that is accepted in one place is accepted in all; a value of the wrong shape is refused here rather than
 * by the provider after the bundle has left.
 */
import { MODEL_SETTINGS } from './transport.js';

export type ModelSettingName = (typeof MODEL_SETTINGS)[number];

type Judge = (value: unknown) => boolean;

const isNumber: Judge = (value) => typeof value === 'number' && Number.isFinite(value);
const isCount: Judge = (value) => Number.isSafeInteger(value) && Number(value) >= 1;
const isText: Judge = (value) => typeof value === 'string' && value !== '';
const isMembers: Judge = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts: Judge = (value) =>
  Array.isArray(value) && value.length >= 1 && value.length <= 16 && value.every(isText);

const JUDGES: Readonly<Record<ModelSettingName, { readonly is: Judge; readonly due: string }>> = {
  frequency_penalty: { is: isNumber, due: 'a number' },
  max_tokens: { is: isCount, due: 'a whole number of tokens, 1 or more' },
  max_completion_tokens: { is: isCount, due: 'a whole number of tokens, 1 or more' },
  presence_penalty: { is: isNumber, due: 'a number' },
  seed: { is: Number.isSafeInteger, due: 'a whole number' },
  stop: { is: (value) => isText(value) || isTexts(value), due: 'a text or a list of 1 to 16 texts' },
  temperature: { is: isNumber, due: 'a number' },
  top_p: { is: isNumber, due: 'a number' },
  reasoning_effort: { is: isText, due: 'a text' },
  response_format: { is: isMembers, due: 'an object' },
  provider: { is: isMembers, due: 'an object' },
};

export const isModelSetting = (name: string): name is ModelSettingName => Object.hasOwn(JUDGES, name);

/** What is wrong with a setting, as the end of a sentence that names it, or `null`. The value is never repeated. */
export function modelSettingProblem(name: string, value: unknown): string | null {
  if (!isModelSetting(name)) return `is no model setting; these are: ${MODEL_SETTINGS.join(', ')}`;
  const judge = JUDGES[name];
  return judge.is(value) ? null : `must be ${judge.due}`;
}
