/**
 * What an answer has to be, by kind: exactly one JSON document, or text. Its content is not judged.
 *
 * The document is handed on as its own text, not as parsed values: numbers and names must come out as they came in.
 */
import type { KindName } from '../contract/item.js';
import { callFailure } from './call-failure.js';
import { parseJson } from './json-shape.js';
import { stripFence } from './strip-fence.js';

type AnswerForm = 'json' | 'text';

const ANSWER_FORMS: Readonly<Record<KindName, AnswerForm>> = {
  intent_audit: 'json',
  intent_consistency: 'json',
  release_changelog: 'json',
  reading: 'json',
  change_review: 'text',
  source_question: 'text',
};

export const answerForm = (kind: KindName): AnswerForm => ANSWER_FORMS[kind];

/** The answer as it is kept: a JSON kind's document without its fence, a text kind's text. `PROVIDER_ANSWER_INVALID`. */
export const checkAnswer = (text: string, kind: KindName): string => {
  if (answerForm(kind) === 'text') {
    return text;
  }
  const document = stripFence(text);
  if (parseJson(document) === undefined) {
    throw callFailure(
      'PROVIDER_ANSWER_INVALID',
      `One JSON document was due for ${kind}, at most inside one Markdown fence; ${Buffer.byteLength(text)} bytes came that are something else.`,
      { due: 'json', answer_bytes: Buffer.byteLength(text) },
    );
  }
  return document;
};

/** An answer file's bytes: the answer with the record and bundle it belongs to (cli.md, product.md section 10). */
export const answerFile = (kept: string, kind: KindName, recordId: string, bundleDigest: string): Buffer => {
  const record = JSON.stringify(recordId);
  const bundle = JSON.stringify(bundleDigest);
  return Buffer.from(
    answerForm(kind) === 'json'
      ? `{"record":${record},"bundle":${bundle},"answer":${kept}}\n`
      : `record: ${recordId}\nbundle: ${bundleDigest}\n\n${kept}${kept.endsWith('\n') ? '' : '\n'}`,
  );
};
