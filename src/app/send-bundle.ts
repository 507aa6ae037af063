/**
 * One send from words to outcome, whatever the verb: open, route, admit, then by the route the remote way (a bundle), a
 * provider on this machine or the host (request files). Every refusal after the settings were read is recorded here or by
 * the pipeline, once.
 */
import { admit } from '../admission/admit.js';
import { chooseRoute } from '../admission/choose-route.js';
import { isRefusal } from '../contract/codes.js';
import { ColdsealError } from '../contract/error.js';
import type { Observe } from '../contract/observer.js';
import type { Route } from '../contract/route.js';
import { openParkedReading, type ParkedReading } from '../kinds/parked-reading.js';
import { routeDocument } from '../pipeline/outcome.js';
import { recordRefusal } from '../pipeline/record-refusal.js';
import { recordedRoute } from '../pipeline/recorded-bundle.js';
import { readsRange } from '../plan/resolve-range.js';
import type { BegunThreads } from '../pool/begun-threads.js';
import { newRecordId } from '../record/record-id.js';
import { type ProjectOfRun, projectOf } from './choose-project.js';
import { type Explain, explainRun, type RunExplainer } from './explain-run.js';
import { type Place, withPlace } from './open-place.js';
import { openRunRecords, type RunRecords } from './open-records.js';
import { beginScanner } from './open-scanner.js';
import { sendHere } from './send-here.js';
import { sendRemote } from './send-remote.js';
import type { SendResult } from './send-result.js';
import type { SendWords } from './send-words.js';
import type { Surroundings } from './surroundings.js';
import { tellNotices } from './tell-notices.js';

export interface OpenSend {
  readonly surroundings: Surroundings;
  readonly place: Place;
  readonly words: SendWords;
  readonly project: ProjectOfRun;
  readonly route: Route;
  readonly records: RunRecords;
  /** The record's id for this run. */
  readonly id: string;
  readonly observe: Observe;
  readonly job: JobOfRun | null;
  readonly explainer: RunExplainer;
  /** The parked run of a reading. */
  readonly reading: ParkedReading | null;
  /** The first scan thread of a run that scans, started while git is asked. */
  readonly begun: BegunThreads | null;
}

/** What a queue adds to a run: its record can be told from the job, and the job has the last word before the body. */
export interface JobOfRun {
  /** Of a job in the queue; it stands in the start row. */
  readonly id?: string;
  /** `rec-` and 26 characters of base32; new for every run. */
  readonly recordId: string;
  /** Throws the refusal that stops the send. */
  readonly beforeBody: () => Promise<void>;
}

const unexplained: Explain = () => {};

/**
 * Rejects with a configuration refusal, a signal's reason or a fault of ours; every other end is a result. `explain` takes
 * the reasons of the run, for a person who asked for them.
 */
export const sendBundle = (
  surroundings: Surroundings,
  asked: SendWords,
  observe: Observe,
  job: JobOfRun | null = null,
  explain: Explain = unexplained,
): Promise<SendResult> =>
  withPlace(surroundings, async (place) => {
    tellNotices(surroundings, place.settings.notices);
    const explainer = explainRun(place, explain);
    explainer.settings();
    const records = openRunRecords(place.settings, surroundings);
    const id = job?.recordId ?? newRecordId(surroundings.random);
    const known: Known = { words: asked, reading: null, route: null, project: null };
    let begun: BegunThreads | null = null;
    try {
      await readDispatched(place, known, surroundings.signal);
      const { words, reading } = known;
      const { route, notices } = chooseRoute({ agent: words.agent, typed: words.routes, settings: place.settings });
      known.route = route;
      tellNotices(surroundings, notices);
      explainer.route(route);
      requireProvider(route, words);
      admit({ route, kind: words.kind, settings: place.settings });
      const isRemote = route.kind === 'provider' && route.provider.endpoint.remote;
      if (isRemote) {
        place.repository.lookAhead({ branch: words.range === null && readsRange(words.kind) });
        begun = beginScanner(surroundings);
      }
      const project = await projectOf(place);
      known.project = project;
      explainer.project(project, words.kind);
      const run = { surroundings, place, words, project, route, records, id };
      const open: OpenSend = { ...run, observe, job, explainer, reading, begun };
      return route.kind === 'provider' && isRemote ? await sendRemote({ ...open, route }) : await sendHere(open);
    } catch (error) {
      // Waited for here: what ends below would leave its fault without a listener, which ends the program.
      return await refuse(error, { surroundings, records, id, ...known });
    } finally {
      await begun?.drop();
      await known.reading?.close();
    }
  });

/** What is known of a run so far, for the refusal that may end it. */
interface Known {
  words: SendWords;
  reading: ParkedReading | null;
  route: Route | null;
  project: ProjectOfRun | null;
}

/** A reading's position is its own to say, and the position says which agent takes it. */
const readDispatched = async ({ repository }: Place, known: Known, signal: AbortSignal): Promise<void> => {
  const { dispatch } = known.words;
  if (dispatch === null) return;
  known.reading = await openParkedReading(repository, dispatch, signal);
  known.words = { ...known.words, agent: `cold-reading-${known.reading.manifest.position}` };
};

const requireProvider = (route: Route, words: SendWords): void => {
  if (route.kind === 'provider') return;
  if (words.expect === null && (!words.mustSend || route.origin === 'flag')) return;
  throw new ColdsealError(
    'NO_ROUTE',
    `${words.expect === null ? 'this run' : '--expect'} asks for a send, and ${words.agent} has no provider. Route it under oracle.roles in the machine file, or type \`--route ${words.agent}=PROVIDER/MODEL\`.`,
    { facts: { agent: words.agent } },
  );
};

interface Refusal {
  readonly surroundings: Surroundings;
  readonly words: SendWords;
  readonly records: RunRecords;
  readonly id: string;
  readonly route: Route | null;
  readonly project: ProjectOfRun | null;
}

/** A refusal that came before the pipeline had the run. A plan writes nothing. */
const refuse = async (error: unknown, refusal: Refusal): Promise<SendResult> => {
  if (!(error instanceof ColdsealError) || !isRefusal(error.code)) throw error;
  const { surroundings, words, records, id, route, project } = refusal;
  const row = {
    id,
    verb: words.verb,
    error,
    route: route === null ? null : recordedRoute(route, null),
    kind: words.kind,
    project: project?.key ?? null,
  };
  const isRecorded = !words.plan && (await recordRefusal(records, row, surroundings.say));
  const path = records.path();
  return {
    exit: 2,
    document: {
      outcome: 'refused',
      code: error.code,
      message: error.message,
      facts: error.facts,
      route: routeDocument(route ?? { kind: 'host', agent: words.agent, origin: 'none' }),
      ...(isRecorded && path !== null ? { record: { id, path } } : {}),
    },
    answerText: null,
    sealed: null,
    notes: [],
  };
};
