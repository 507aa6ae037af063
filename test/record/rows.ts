/** Rows for the record's tests, in this process and in children. No text of any item, as in real ones. */
import type { RecordedBundle, RecordedRoute, RowBody } from '../../src/contract/record.js';

export const NOVEMBER = Date.UTC(2026, 10, 5, 12);
export const DECEMBER = Date.UTC(2026, 11, 5, 12);

const ROUTE: RecordedRoute = {
  agent: 'change-reviewer',
  provider: 'acme',
  model_asked: 'large-1',
  origin: 'machine',
  remote: true,
  host: 'api.example.com',
};

export const BUNDLE: RecordedBundle = {
  kind: 'change_review',
  list_origin: 'compiled',
  project: null,
  items: [
    { id: 'itm-0001', input: 'diff', label: 'a..b', raw_bytes: 1200, bytes: 1000 },
    { id: 'itm-0002', input: 'changed_files', path: 'logo.png', raw_bytes: 900, bytes: 60, omitted: 'binary' },
  ],
  bytes: 1400,
  raw_bytes: 2100,
  cap: 4194304,
  cap_origin: 'default',
  digest: `sha256:${'1'.repeat(64)}`,
  approval: `sha256:${'2'.repeat(64)}`,
  blanked: [{ item: 'itm-0001', line: 7, kind: 'token:github_pat', rule: 'github-pat' }],
};

export const START: RowBody = {
  event: 'start',
  attempt: 1,
  verb: 'review',
  route: ROUTE,
  bundle: BUNDLE,
  digests: { rules: `sha256:${'3'.repeat(64)}` },
  versions: { coldseal: '0.1.0' },
  durations_ms: { scan: 40 },
  scanned_bytes: 2000,
};

export const END: RowBody = {
  event: 'end',
  outcome: 'sent',
  model_reported: 'large-1',
  usage: { prompt_tokens: 400, completion_tokens: 90 },
  finish_reason: 'stop',
  answer_bytes: 700,
  attempts: 1,
  durations_ms: { provider: 3000, first_token: 500 },
};

export const REFUSED: RowBody = {
  event: 'refused',
  verb: 'review',
  code: 'OVER_CAP',
  facts: { bytes: 5000000, cap: 4194304 },
  route: ROUTE,
  kind: 'change_review',
  project: null,
};

export const HOST: RowBody = {
  event: 'host',
  verb: 'review',
  route: { ...ROUTE, provider: null },
  kind: 'change_review',
};
