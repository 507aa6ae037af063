/**
 * The corpus of a consistency pass: the brief whole, and of every intent only what it claims. Reasons, criteria and audit
 * notes are left out because two intents may differ there without disagreeing.
 */
import { ColdsealError } from '../contract/error.js';
import type { PreparedItem } from '../contract/item.js';
import { printablePath } from '../contract/printable-path.js';
import type { ComposedKind } from './composed-kind.js';
import { headingsOf, sectionsOf } from './markdown-sections.js';
import { composeRequest, receiptOf, requestItem, sha256Hex } from './provenance.js';
import { type RecordFile, type RecordFiles, withheldWords } from './record-files.js';
import { checkIntentId, findIntent, type Intent, listBrief, readIntents } from './record-tree.js';

const CLAIMS: ReadonlySet<string> = new Set([
  'Press Release',
  "What's In Scope",
  "What's Out of Scope",
  'Decisions',
  'The Rule',
]);

const RUBRIC = `## Rubric

Report places where two parts of the corpus cannot both hold, and nothing else.

- terminology_drift: one word for two things, or two words for one, where a reader would act wrongly.
- premise_contradiction: one part takes for granted what another denies.
- scope_leakage: one intent claims in scope what another declares out of scope.
- sequencing_impossibility: two parts need each other first.
- naming_conflict: two parts give one name to different things.

Every finding has two ends, each a path and a short quote. A matter of style is no finding; an empty list is an answer.`;

const SHAPE = `## Shape of the findings

One JSON document and nothing around it:

\`\`\`json
{
  "_type": "abcd/intent-consistency-findings/v1",
  "receipt_id": "<the receipt above>",
  "verifier": { "id": "<agent>", "version": "<model>" },
  "policy": { "rubric_hash": "<from Provenance>", "prompt_hash": "<from Provenance>" },
  "findings": [
    {
      "class": "<one of the five>",
      "severity": "minor | major | critical",
      "summary": "<one sentence>",
      "explanation": "<why both cannot hold>",
      "ends": [{ "path": "<path>", "quote": "<short>" }, { "path": "<path>", "quote": "<short>" }]
    }
  ]
}
\`\`\``;

/** An intent's H1 and the sections it claims by, verbatim, in its own order. */
const projectIntent = (body: string): string => {
  const title = headingsOf(body).find(({ level }) => level === 1);
  const head = title === undefined ? [] : [body.slice(title.start, title.bodyStart).trimEnd()];
  const claimed = sectionsOf(body).filter(({ title: name }) => CLAIMS.has(name));
  return `${[...head, ...claimed.map(({ whole }) => whole.trimEnd())].join('\n\n')}\n`;
};

interface CorpusDocument {
  readonly file: RecordFile;
  readonly text: string;
  readonly item: PreparedItem;
}

const briefDocuments = async (files: RecordFiles): Promise<readonly CorpusDocument[]> => {
  const pages = await listBrief(files);
  const texts = await files.texts(pages);
  return Promise.all(
    pages.map(async (file, at) => ({
      file,
      text: files.isWithheld(file) ? withheldWords(file) : (texts[at] ?? ''),
      item: await files.item(file),
    })),
  );
};

const intentDocument =
  (files: RecordFiles) =>
  ({ file, body }: Intent): CorpusDocument => {
    const text = files.isWithheld(file) ? withheldWords(file) : projectIntent(body);
    const bytes = Buffer.from(text);
    return {
      file,
      text,
      item: { path: file.path, label: null, origin: { kind: 'text', bytes }, rawBytes: bytes.length },
    };
  };

/** `typedId` narrows the question to one intent; the corpus is the same. */
export const composeConsistency = async (files: RecordFiles, typedId: string | null): Promise<ComposedKind> => {
  const everywhere = ['drafts', 'planned', 'shipped', 'disciplines'] as const;
  const scope = typedId === null ? 'corpus' : (await findIntent(files, checkIntentId(typedId), everywhere)).id;
  const intents = await readIntents(files, (_, folder) => folder !== 'superseded');
  const documents = [...(await briefDocuments(files)), ...intents.map(intentDocument(files))];
  if (documents.length === 0) {
    throw new ColdsealError('INPUT_MISSING', 'There is no brief and no intent under .abcd/development/ to compare.', {
      facts: { input: 'corpus' },
    });
  }
  const corpus = documents
    .map(({ file, text }) => `<!-- ${printablePath(file.path)} -->\n\n${text.trimEnd()}\n`)
    .join('\n');
  const receipt = receiptOf('consistency', scope, sha256Hex(corpus));
  const request = composeRequest({
    receipt,
    title: 'Consistency review request',
    bullets: [
      ['scope', scope],
      ['documents', String(documents.length)],
      ['corpus_hash', `sha256:${sha256Hex(corpus)}`],
    ],
    sections: [
      scope === 'corpus'
        ? '## Task\n\nCompare every document of the corpus with every other.'
        : `## Task\n\nCompare ${scope} with every other document of the corpus.`,
    ],
    rubric: [RUBRIC, SHAPE],
  });
  return {
    prepared: new Map([
      ['request', [requestItem(request, receipt)]],
      ['corpus', documents.map(({ item }) => item)],
    ]),
    range: null,
    receipt,
    documents: [
      { suffix: 'request.md', bytes: request.bytes },
      { suffix: 'corpus.md', bytes: Buffer.from(corpus) },
    ],
  };
};
