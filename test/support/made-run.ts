/** A run over made texts: a transport that plays one answer, a record store that keeps rows in a list. */
import type { ColdsealError } from '../../src/contract/error.js';
import type { RunEvent } from '../../src/contract/observer.js';
import type { RecordRow, RecordStore, RowBody } from '../../src/contract/record.js';
import type { ProviderSettings, Route } from '../../src/contract/route.js';
import type { Answer, SendRequest, Transport } from '../../src/contract/transport.js';
import type { AssemblyRequest } from '../../src/pipeline/assembly-request.js';
import type { BundleRun, RunPorts } from '../../src/pipeline/bundle-run.js';

export const PROVIDER: ProviderSettings = {
  name: 'acme',
  endpoint: { baseUrl: 'https://api.example.com/v1', host: 'api.example.com', port: 443, remote: true },
  credential: 'acme-key',
  models: ['big'],
  resolve: {},
  caFile: null,
  totalTimeoutMs: 900_000,
  settings: {},
  maxPromptTokens: null,
  usageChunk: true,
  spawn: null,
};

export const ROUTE: Route & { readonly kind: 'provider' } = {
  kind: 'provider',
  agent: 'change-reviewer',
  origin: 'machine',
  provider: PROVIDER,
  model: 'big',
};

const COMMON = {
  modelReported: 'big-1',
  usage: { promptTokens: 120, completionTokens: 7 },
  generationId: null,
  proxy: null,
  attempts: 1,
  durationMs: 1234.4,
} as const;

export const WHOLE: Answer = { ...COMMON, ok: true, text: 'fine', finishReason: 'stop', notes: [], firstTokenMs: 50.5 };
export const FAILED: Answer = {
  ...COMMON,
  ok: false,
  code: 'PROVIDER_STATUS',
  message: 'the provider answered 500',
  facts: { status: 500 },
  neverConnected: false,
};
export const UNREACHABLE: Answer = {
  ...FAILED,
  code: 'PROVIDER_UNREACHABLE',
  message: 'nobody answered',
  facts: {},
  neverConnected: true,
  usage: null,
  modelReported: null,
};

export interface MadePorts extends RunPorts {
  /** What happened, in order: rows by their event, `connect`, and what the run said. */
  readonly story: string[];
  readonly rows: (RowBody & { readonly id: string })[];
  readonly requests: SendRequest[];
  readonly events: RunEvent[];
}

export interface PortsSettings {
  readonly answer?: Answer | ((request: SendRequest) => Promise<Answer>);
  /** Connections tried before the answer comes. */
  readonly tries?: number;
  /** Throws for rows that cannot be written. */
  readonly onAppend?: (body: RowBody) => void;
}

export const portsOf = ({ answer = WHOLE, tries = 1, onAppend = () => undefined }: PortsSettings = {}): MadePorts => {
  const story: string[] = [];
  const rows: MadePorts['rows'] = [];
  const requests: SendRequest[] = [];
  const events: RunEvent[] = [];
  const transport: Transport = {
    send: async (request) => {
      requests.push(request);
      for (let attempt = 1; attempt <= tries; attempt += 1) {
        await request.beforeConnect(attempt);
        story.push('connect');
      }
      return typeof answer === 'function' ? answer(request) : answer;
    },
  };
  const records: RecordStore = {
    append: async (id, body): Promise<RecordRow> => {
      onAppend(body);
      rows.push({ id, ...body });
      story.push(body.event);
      return { ...body, v: 1, id, time: '2030-01-01T00:00:00.000Z', prev: '', hash: '' };
    },
  };
  return { transport, records, observe: (event) => events.push(event), story, rows, requests, events };
};

export const runOf = (assembly: AssemblyRequest, ports: MadePorts, more: Partial<BundleRun> = {}): BundleRun => ({
  assembly,
  route: ROUTE,
  settings: { temperature: 0 },
  expect: null,
  id: 'rec-test',
  verb: 'review',
  credential: { name: 'acme-key', value: 'x'.repeat(20) },
  denylist: [],
  proxy: null,
  digests: { rules: 'sha256:rules' },
  versions: { coldseal: '0.1.0' },
  mayFallBack: false,
  say: (line) => ports.story.push(line),
  confirmConsent: () => Promise.resolve(),
  prepareAnswer: () => Promise.resolve(),
  keepAnswer: (answer) => Promise.resolve({ path: null, bytes: Buffer.byteLength(answer.text) }),
  ...more,
});

export const rejecting = (error: ColdsealError | Error) => (): Promise<never> => Promise.reject(error);
