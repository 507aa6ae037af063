/** What `-v` says of a run's sizes and durations, stage by stage. Closed words and numbers, like the events it hears. */
import type { Observe, Stage } from '../contract/observer.js';
import { showCount, showDuration, showNumber } from '../contract/show-amount.js';

/** `say` takes one line; `now` is monotonic, in milliseconds. */
export const tellFigures = (say: (line: string) => void, now: () => number): Observe => {
  let scannedBytes = 0;
  let findings = 0;
  let running: { readonly stage: Stage; readonly sinceMs: number } | null = null;
  const begin = (stage: Stage): void => {
    const atMs = now();
    if (running !== null) say(`coldseal: ${running.stage}: took ${showDuration(atMs - running.sinceMs)}`);
    running = { stage, sinceMs: atMs };
  };
  return (event) => {
    switch (event.kind) {
      case 'stage':
        return begin(event.stage);
      case 'planned':
        return say(
          `coldseal: plan: ${showNumber(event.items, 'item')}, ${showCount(event.rawBytes)} bytes raw as far as known, the cap is ${showCount(event.capBytes)} bytes`,
        );
      case 'scanned':
        scannedBytes += event.bytes;
        findings += event.findings;
        return;
      case 'blanked':
        return say(`coldseal: blanked: ${showNumber(event.count, 'span')} of family ${event.family}`);
      case 'omitted':
        return say(`coldseal: not shown: ${showNumber(event.count, 'item')}, ${event.reason}`);
      case 'sealed':
        return say(
          `coldseal: sealed: ${showNumber(event.items, 'item')}, ${showCount(event.bytes)} bytes; scanned ${showCount(scannedBytes)} bytes with ${showNumber(findings, 'finding')} in ${showDuration(event.scanMs)}`,
        );
      case 'answered':
        return say(
          `coldseal: answered after ${showDuration(event.durationMs)}${event.firstTokenMs === null ? '' : `, the first token after ${showDuration(event.firstTokenMs)}`}`,
        );
      case 'ended':
        return;
      default:
        event satisfies never;
    }
  };
};
