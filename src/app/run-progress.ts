/** What a run has done so far, for the progress line and the live events. Pure: the same events give the same state. */
import type { RunEvent, Stage } from '../contract/observer.js';

export interface ProgressState {
  readonly stage: Stage;
  readonly items: number;
  /** `null` before the plan is known. */
  readonly itemsDue: number | null;
  /** Read and scanned. */
  readonly bytes: number;
  readonly bytesDue: number | null;
  /** After blanking: what counts against the cap. */
  readonly blankedBytes: number;
  readonly capBytes: number | null;
  /** Findings while it scans; from the seal on the spans that were blanked. */
  readonly blanked: number;
  /** `blanked` is that of the sealed bundle. */
  readonly isCounted: boolean;
  /** Time in the present stage. */
  readonly stageMs: number;
}

export const NO_PROGRESS: ProgressState = {
  stage: 'plan',
  items: 0,
  itemsDue: null,
  bytes: 0,
  bytesDue: null,
  blankedBytes: 0,
  capBytes: null,
  blanked: 0,
  isCounted: false,
  stageMs: 0,
};

export function addEvent(state: ProgressState, event: RunEvent): ProgressState {
  switch (event.kind) {
    case 'stage':
      return { ...state, stage: event.stage, stageMs: 0 };
    case 'planned':
      return { ...state, itemsDue: event.items, bytesDue: event.rawBytes, capBytes: event.capBytes };
    case 'scanned':
      return {
        ...state,
        items: state.items + event.items,
        bytes: state.bytes + event.bytes,
        blankedBytes: state.blankedBytes + event.blankedBytes,
        blanked: state.blanked + event.findings,
      };
    case 'sealed':
      return { ...state, items: event.items, blankedBytes: event.bytes };
    case 'blanked':
      return { ...state, blanked: (state.isCounted ? state.blanked : 0) + event.count, isCounted: true };
    case 'omitted':
    case 'answered':
    case 'ended':
      return state;
    default:
      return event satisfies never;
  }
}
