/** Where an answer goes: judged by its kind's contract, then beside the run's other files in the work tree. */

import { framedTexts } from '../bundle/read-frame.js';
import type { SealedBundle } from '../contract/bundle.js';
import type { InputName, KindName } from '../contract/item.js';
import type { Repository } from '../contract/repository.js';
import { answerFile, answerForm, checkAnswer } from '../dispatch/check-answer.js';
import { type HostFolder, removeHostFile, writeHostFile } from '../dispatch/host-files.js';
import type { ComposedKind } from '../kinds/composed-kind.js';
import type { KeptAnswer, WholeAnswer } from '../pipeline/run-result.js';
import type { Surroundings } from './surroundings.js';

/** The folder of requests and answers, `.abcd/.work.local/reviews`. */
export const reviewsFolder = (repository: Repository, { random }: Pick<Surroundings, 'random'>): HostFolder => ({
  workTree: repository.workTree,
  folders: ['reviews'],
  isTracked: (path) => repository.isTracked(path),
  randomName: () => Buffer.from(random(6)).toString('hex'),
});

const answerName = (stem: string, kind: KindName): string =>
  `${stem}.answer.${answerForm(kind) === 'json' ? 'json' : 'md'}`;

export interface AnswerPlace {
  readonly folder: HostFolder;
  readonly kind: KindName;
  /** Receipt or record id, the name of the run's files. */
  readonly stem: string;
}

/** Removes what an earlier run left under the name, so that what is there afterwards is this run's. `STATE_UNSAFE`. */
export const clearAnswer = async ({ folder, kind, stem }: AnswerPlace): Promise<void> => {
  if (folder.workTree !== null) await removeHostFile(folder, answerName(stem, kind));
};

/** A bare repository has no work tree and nothing is written into it: its answer goes to the person alone. */
export const keepAnswerIn =
  ({ folder, kind, stem }: AnswerPlace, recordId: string) =>
  async (answer: Pick<WholeAnswer, 'text'>, bundle: Pick<SealedBundle, 'digest'>): Promise<KeptAnswer> => {
    const kept = checkAnswer(answer.text, kind);
    const bytes = Buffer.byteLength(kept);
    if (folder.workTree === null) return { path: null, bytes };
    const path = await writeHostFile(folder, answerName(stem, kind), answerFile(kept, kind, recordId, bundle.digest));
    return { path, bytes };
  };

/** Inputs that a kind composes, by the file that keeps them. */
const DOCUMENT_INPUTS: Readonly<Record<string, readonly InputName[]>> = {
  'request.md': ['request'],
  'request.json': ['cut'],
  'corpus.md': ['corpus'],
};

/**
 * Keeps the composed documents beside the answer in the form that is sent: blanked. As it is, a document could put a
 * secret on disk that stands only in the repository's objects.
 */
export const keepDocuments = async (
  { folder, stem }: AnswerPlace,
  documents: ComposedKind['documents'],
  bundle: SealedBundle,
): Promise<void> => {
  if (folder.workTree === null) return;
  for (const { suffix } of documents) {
    const inputs = DOCUMENT_INPUTS[suffix] ?? [];
    const texts = [...framedTexts(bundle)].filter(({ item }) => inputs.includes(item.input)).map(({ text }) => text);
    if (texts.length > 0) await writeHostFile(folder, `${stem}.${suffix}`, Buffer.concat(texts));
  }
};
