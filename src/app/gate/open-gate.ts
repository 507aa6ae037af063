/**
 * The gate: a client's chat request in either format, scanned, blanked, weighed, recorded and forwarded; its answer passed
 * through. It lives as long as the service and reads the machine file anew for every call.
 */
import { deniedBy } from '../../contract/denylist.js';
import type { ColdsealError } from '../../contract/error.js';
import type { RecordStore } from '../../contract/record.js';
import type { ProviderSettings } from '../../contract/route.js';
import type { Settings } from '../../contract/settings.js';
import { rememberRoots } from '../../dispatch/secure-socket.js';
import { rememberSessions } from '../../dispatch/tls-sessions.js';
import { recordRefusal } from '../../pipeline/record-refusal.js';
import { codedOr } from '../../pipeline/send-progress.js';
import { newRecordId } from '../../record/record-id.js';
import { openRunRecords } from '../open-records.js';
import { readMachineSettings } from '../read-settings-here.js';
import type { Surroundings } from '../surroundings.js';
import { openCallDesk } from './call-desk.js';
import type { GateCall, GateReply } from './gate-call.js';
import { type GateListener, gateProvider } from './gate-destination.js';
import { errorIn, type GateFormat, modelEntry, modelList, statusErrorIn } from './gate-format.js';
import { gateCap } from './gate-limits.js';
import { GATE, gateRoute } from './gate-rows.js';
import { createLooks, type Destined, type GateTools, prepareCall } from './prepare-call.js';
import { createBodyRoom } from './read-body.js';
import { sendCall } from './send-call.js';

export interface Gate {
  /** Never rejects: every refusal and failure is a reply in the client's format. */
  forward(call: GateCall): Promise<GateReply>;
  /** The owner's models of one provider, or one of them; nothing leaves for it. */
  models(format: GateFormat, provider: string, model: string | null): Promise<GateReply>;
  /** Takes no more, lets calls end for that long, ends the rest; resolves when every end is recorded. */
  close(graceMs: number): Promise<void>;
}

export interface GateOptions extends Pick<GateTools, 'surroundings' | 'scanner' | 'arena'> {
  /** Where the service listens, asked at each call. */
  readonly listener: () => GateListener | null;
}

export const openGate = ({ surroundings, scanner, arena, listener }: GateOptions): Gate => {
  const tools: GateTools = { surroundings, scanner, arena, looks: createLooks() };
  const room = createBodyRoom();
  const trustedRoots = rememberRoots();
  const sessions = rememberSessions(surroundings.monotonicMs);
  const desk = openCallDesk();

  const forward = async (call: GateCall): Promise<GateReply> => {
    const id = newRecordId(surroundings.random);
    const known: Known = { settings: null, provider: null, model: null };
    const share = room.share();
    try {
      desk.refuseMore();
      const { settings } = await readMachineSettings(surroundings);
      known.settings = settings;
      const provider = gateProvider(call.provider, settings);
      known.provider = provider;
      const destined: Destined = { settings, provider, cap: gateCap(settings) };
      const prepared = await prepareCall(tools, call, destined, share, (model) => {
        known.model = model;
      });
      call.signal.throwIfAborted();
      const records = openRunRecords(settings, surroundings);
      const send = { ...tools, records, trustedRoots, sessions, listener, pending: desk.hold };
      return await sendCall(send, call, id, destined, prepared);
    } catch (thrown) {
      const error = codedOr(call.signal.aborted ? call.signal.reason : thrown);
      const written = errorIn(call.format, error);
      const isRecorded = await recordRefused(surroundings, id, error, known);
      return isRecorded ? { ...written, headers: { ...written.headers, 'x-coldseal-record': id } } : written;
    } finally {
      share.release();
    }
  };

  return {
    forward: (call) => desk.run(call.signal, (signal) => forward({ ...call, signal })),
    models: async (format, name, model) => {
      try {
        const { settings } = await readMachineSettings(surroundings);
        return modelsReply(format, gateProvider(name, settings), settings, model);
      } catch (thrown) {
        return errorIn(format, codedOr(thrown));
      }
    },
    close: (graceMs) => desk.close(graceMs),
  };
};

/** What is known of a call so far, for the refusal that may end it. */
interface Known {
  settings: Settings | null;
  provider: ProviderSettings | null;
  model: string | null;
}

/** Before the settings are read there is no store to write to. */
const recordRefused = async (
  surroundings: Surroundings,
  id: string,
  error: ColdsealError,
  { settings, provider, model }: Known,
): Promise<boolean> => {
  if (settings === null) return false;
  const records: RecordStore = openRunRecords(settings, surroundings);
  const route = provider === null || model === null ? null : gateRoute(provider, model, null);
  return recordRefusal(records, { id, verb: GATE, error, route, kind: GATE, project: null }, surroundings.say);
};

const modelsReply = (
  format: GateFormat,
  { name, models }: ProviderSettings,
  { denylist }: Settings,
  model: string | null,
): GateReply => {
  const denied = denylist.map(({ entry }) => entry);
  const listed = models.filter((one) => deniedBy(one, denied) === null);
  if (model !== null && !listed.includes(model)) {
    return statusErrorIn(format, 404, {
      code: 'MODEL_NOT_LISTED',
      message: `The model is not on the list of ${name}.`,
    });
  }
  const document = model === null ? modelList(format, { name, models: listed }) : modelEntry(format, name, model);
  return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(document)) };
};
