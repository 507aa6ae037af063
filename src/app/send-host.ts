/** Request files for whoever reads them on this machine, as they are: nothing about bundles applies. */
import { requireKind } from '../admission/require-kind.js';
import type { OutcomeDocument } from '../contract/documents.js';
import type { Route } from '../contract/route.js';
import { writeHostFile } from '../dispatch/host-files.js';
import { readParkedFile } from '../kinds/parked-file.js';
import { routeDocument } from '../pipeline/outcome.js';
import { recordedRoute } from '../pipeline/recorded-bundle.js';
import { composeRun } from './compose-run.js';
import { exitOf } from './exit-of.js';
import { hostRequest } from './host-request.js';
import { reviewsFolder } from './keep-answer.js';
import type { OpenSend } from './send-bundle.js';
import type { SendResult } from './send-result.js';
import { systemMessage } from './system-message.js';

export type HereSend = OpenSend & { readonly route: Route };

export interface WrittenRequest {
  readonly system: Uint8Array;
  readonly message: Uint8Array;
  /** From the work tree's root. */
  readonly paths: readonly string[];
  /** Receipt or record id, the name of the run's files. */
  readonly stem: string;
}

/**
 * Writes the request files: a parked bundle as it is, the documents that the kind composed, or for a kind without any
 * `<record id>.request.md`, the system message and the items as they are. `STATE_UNSAFE`.
 */
export const writeHostRequest = async (send: HereSend): Promise<WrittenRequest> => {
  const { surroundings, place, words, project, route, id, reading } = send;
  const { repository, settings } = place;
  const system = (await systemMessage(surroundings, words, requireKind(route.agent), settings.machineFolder)).bytes;
  const folder = reviewsFolder(repository, surroundings);
  if (reading !== null) {
    const message = await readParkedFile(reading.bundle);
    const path = await writeHostFile(folder, `${id}.request.json`, message);
    return { system, message, paths: [path], stem: id };
  }
  const composed = await composeRun(repository, words, { kind: 'work-tree' }, surroundings.signal);
  send.explainer.range(composed.range);
  if (composed.documents.length === 0) {
    const message = await hostRequest(place, words, project, composed, surroundings.signal);
    const path = await writeHostFile(folder, `${id}.request.md`, Buffer.concat([system, message]));
    return { system, message, paths: [path], stem: id };
  }
  const stem = composed.receipt ?? id;
  const paths: string[] = [];
  for (const { suffix, bytes } of composed.documents) {
    paths.push(await writeHostFile(folder, `${stem}.${suffix}`, bytes));
  }
  return { system, message: Buffer.concat(composed.documents.map(({ bytes }) => bytes)), paths, stem };
};

export const handToHost = async (send: HereSend): Promise<SendResult> => {
  const { surroundings, words, route, records, id } = send;
  const written = await writeHostRequest(send);
  await records.append(id, { event: 'host', verb: words.verb, route: recordedRoute(route, null), kind: words.kind });
  const why =
    route.origin === 'none' ? `; ${words.agent} has no route (\`coldseal init\` writes a first machine file)` : '';
  surroundings.say(
    `coldseal: ${words.kind}: the request is written to ${written.paths.join(', ')}, unscanned; the host decides who reads it${why}`,
  );
  return ended({ outcome: 'host', route: routeDocument(route), ...recordOf(send) });
};

export const recordOf = ({ records, id }: HereSend): Pick<OutcomeDocument, 'record'> => {
  const path = records.path();
  return path === null ? {} : { record: { id, path } };
};

export const ended = (document: OutcomeDocument): SendResult => ({
  exit: exitOf(document),
  document,
  answerText: null,
  sealed: null,
  notes: [],
});
