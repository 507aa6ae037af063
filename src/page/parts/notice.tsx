/** What stands where there is nothing to show: loading, empty, or what went wrong and what to do about it. */
import type { ComponentChildren } from 'preact';
import { printable } from '../../contract/printable.js';
import type { Problem } from '../api/problem.js';

export const Loading = ({ what }: { readonly what: string }) => (
  <p class="notice notice-loading" role="status">
    Loading {what}…
  </p>
);

export const Empty = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <div class="notice">
    <p class="notice-title">{title}</p>
    <div class="notice-text">{children}</div>
  </div>
);

export const Failed = ({
  problem,
  again,
}: {
  readonly problem: Problem;
  readonly again?: (() => void) | undefined;
}) => (
  <div class="notice notice-failed" role="alert">
    <p class="notice-title">
      <Coded text={printable(problem.message)} />
    </p>
    <p class="notice-text">
      <Coded text={problem.wayOut} />
    </p>
    {problem.code !== null && (
      <p class="notice-text">
        Code <code>{problem.code}</code>
      </p>
    )}
    {again !== undefined && (
      <button type="button" class="button" onClick={again}>
        Try again
      </button>
    )}
  </div>
);

/** Our own sentences mark what to type with backquotes. */
export const Coded = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={`${at} ${part}`}>{part}</code>))}</>
);
