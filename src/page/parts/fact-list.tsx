/** Names and values in two columns. */
import type { ComponentChildren } from 'preact';
import { shortDigest, showTime } from '../show/show-time.js';
import { CopyButton } from './copy-button.js';

export interface Fact {
  readonly name: string;
  /** Nothing to say leaves the line out. */
  readonly value: ComponentChildren;
}

export const FactList = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts
      .filter(({ value }) => value !== null && value !== undefined && value !== '')
      .map(({ name, value }) => (
        <div class="fact" key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

export const Digest = ({ digest, what }: { readonly digest: string; readonly what: string }) => (
  <span class="digest">
    <code title={digest}>{shortDigest(digest)}</code>
    <CopyButton text={digest} what={what} />
  </span>
);

export const Time = ({ iso }: { readonly iso: string }) => (
  <time class="figures" dateTime={iso} title={iso}>
    {showTime(iso)}
  </time>
);
