/**
 * One line on a terminal's stderr for work that takes over a second. The line is a pure function of what the run told
 * and of the width; the drawer around it only writes, so everything a person sees can be tested without a terminal.
 */

import { addEvent, NO_PROGRESS, type ProgressState } from '../app/run-progress.js';
import type { RunEvent, Stage } from '../contract/observer.js';
import { showBytes, showCount, showDuration, showShare } from '../contract/show-amount.js';
import type { Style } from './style.js';
import { textWidth } from './text-width.js';

export interface ProgressSettings {
  /** Of the stream it is drawn on, asked at each drawing: a window changes. */
  readonly columns: () => number;
  readonly write: (text: string) => void;
  readonly style: Style;
  readonly nowMs: () => number;
  /** Calls back at that interval until the returned function is called. */
  readonly every: (ms: number, tick: () => void) => () => void;
}

/** Draws nothing before a second has passed, and then ten times a second. */
const SILENT_MS = 1000;
const INTERVAL_MS = 100;
const GAUGE_COLUMNS = 10;
/** The tenth of the cap that is left is worth a look. */
const NEARLY_FULL = 0.9;

const STAGE_WORDS: Readonly<Record<Stage, string>> = {
  plan: 'planning',
  scan: 'scanning',
  seal: 'sealing',
  send: 'sending',
  answer: 'waiting for the answer',
};

/** Whether a progress line may be drawn at all. */
export function mayShowProgress(
  asked: boolean,
  isTty: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  return asked && isTty && environment['TERM'] !== 'dumb';
}

/** For a real stream: the system's clock and timers; a timer never keeps the program alive. */
export const systemTicks: Pick<ProgressSettings, 'nowMs' | 'every'> = {
  nowMs: () => performance.now(),
  every: (ms, tick) => {
    const timer = setInterval(tick, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

/**
 * The line for a state, at most `columns - 1` wide: a full line would wrap on some terminals and could not be erased.
 * What does not fit is left out, the least important part first.
 */
export function formatProgress(state: ProgressState, columns: number, style: Style): string {
  const parts = isScanning(state.stage) ? scanParts(state, style) : [{ rank: 0, text: showDuration(state.stageMs) }];
  const word = STAGE_WORDS[state.stage];
  const ranks = parts.map(({ rank }) => rank).sort((a, b) => a - b);
  for (let most = ranks.length; most >= 0; most -= 1) {
    const kept = parts.filter(({ rank }) => ranks.indexOf(rank) < most).map(({ text }) => text);
    const line = [style.strong(word), ...kept].join('  ');
    if (textWidth(line) < columns) return line;
  }
  return '';
}

/** Feeds on a run's events; `close()` erases the line and ends the timer. */
export class ProgressLine {
  private readonly settings: ProgressSettings;
  private readonly stop: () => void;
  private readonly startedMs: number;
  private stageStartedMs: number;
  private state = NO_PROGRESS;
  private isDrawn = false;
  private isClosed = false;

  constructor(settings: ProgressSettings) {
    this.settings = settings;
    this.startedMs = settings.nowMs();
    this.stageStartedMs = this.startedMs;
    this.stop = settings.every(INTERVAL_MS, () => this.draw());
  }

  readonly observe = (event: RunEvent): void => {
    if (event.kind === 'stage') this.stageStartedMs = this.settings.nowMs();
    this.state = addEvent(this.state, event);
  };

  /** Takes the line away so that another may be written; the next tick draws it again. */
  clear(): void {
    if (!this.isDrawn) return;
    this.settings.write('\r\x1b[2K');
    this.isDrawn = false;
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.stop();
    this.clear();
  }

  private draw(): void {
    const nowMs = this.settings.nowMs();
    if (this.isClosed || nowMs - this.startedMs < SILENT_MS) return;
    const state = { ...this.state, stageMs: nowMs - this.stageStartedMs };
    this.settings.write(`\r\x1b[2K${formatProgress(state, this.settings.columns(), this.settings.style)}`);
    this.isDrawn = true;
  }
}

const isScanning = (stage: Stage): boolean => stage === 'scan' || stage === 'seal';

/** In the order they stand; `rank` 0 is the last to be left out. */
function scanParts(state: ProgressState, style: Style): readonly { readonly rank: number; readonly text: string }[] {
  const items =
    state.itemsDue === null ? showCount(state.items) : `${showCount(state.items)}/${showCount(state.itemsDue)}`;
  // Sizes of differences are not known before they are read: what is due may be passed.
  const isDueKnown = state.bytesDue !== null && state.bytes <= state.bytesDue;
  const bytes = isDueKnown ? `${showBytes(state.bytes)} of ${showBytes(state.bytesDue)}` : showBytes(state.bytes);
  const parts = [
    { rank: 0, text: `${items} ${(state.itemsDue ?? state.items) === 1 ? 'item' : 'items'}` },
    { rank: 2, text: bytes },
  ];
  if (state.stage === 'scan' && state.stageMs > 0) {
    parts.push({ rank: 4, text: style.faint(`${(state.bytes / 1000 / state.stageMs).toFixed(1)} MB/s`) });
  }
  parts.push({ rank: 3, text: `${showCount(state.blanked)} blanked` });
  if (state.capBytes !== null) parts.push({ rank: 1, text: formatGauge(state.blankedBytes, state.capBytes, style) });
  return parts;
}

/** `cap [####------] 41 %`. */
export function formatGauge(bytes: number, capBytes: number, style: Style): string {
  const share = bytes / capBytes;
  // Only a full cap shows a full gauge.
  const filled = share >= 1 ? GAUGE_COLUMNS : Math.min(GAUGE_COLUMNS - 1, Math.floor(share * GAUGE_COLUMNS));
  const gauge = `[${'#'.repeat(filled)}${'-'.repeat(GAUGE_COLUMNS - filled)}] ${showShare(bytes, capBytes)}`;
  const paint = share > 1 ? style.bad : share >= NEARLY_FULL ? style.warn : style.good;
  return `cap ${paint(gauge)}`;
}
