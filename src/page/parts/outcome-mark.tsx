/** How a run ended, as a shape and a word: never by colour alone. */
import type { ComponentChildren } from 'preact';

export const OUTCOME_WORDS: Readonly<Record<string, string>> = {
  sent: 'Sent',
  planned: 'Planned',
  refused: 'Refused',
  provider_failed: 'Provider failed',
  host: 'Host',
  unknown: 'Unfinished',
  failed: 'Failed',
  running: 'Running',
  waiting: 'Waiting',
};

const SHAPES: Readonly<Record<string, ComponentChildren>> = {
  sent: <path d="M2.5 6.5 5 9l4.5-5.5" />,
  planned: <circle cx="6" cy="6" r="3.6" stroke-dasharray="2 1.6" />,
  refused: <path d="M2 6h8M6 6" />,
  provider_failed: <path d="m3 3 6 6M9 3 3 9" />,
  failed: <path d="m3 3 6 6M9 3 3 9" />,
  host: <path d="M2 5.5 6 2.5l4 3V10H2z" />,
  running: <path d="M4 2.5v7L9.5 6z" />,
};

export const OutcomeMark = ({ outcome }: { readonly outcome: string }) => (
  <span class={`outcome outcome-${outcome}`}>
    <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" focusable="false">
      {SHAPES[outcome] ?? <circle cx="6" cy="6" r="1.6" />}
    </svg>
    {OUTCOME_WORDS[outcome] ?? outcome}
  </span>
);
