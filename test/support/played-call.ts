/** One call with the real transport against a scripted sandbox: what came back, and what the sandbox saw. */

import type { ProviderSettings } from '../../src/contract/route.js';
import type { Answer, SendRequest } from '../../src/contract/transport.js';
import type { HttpTransportOptions } from '../../src/dispatch/http-transport.js';
import { readScript, type ScriptInput } from '../../src/sandbox/script.js';
import type { ReceivedRequest } from '../../src/sandbox/serve-request.js';
import { startSandbox } from '../../src/sandbox/start-sandbox.js';
import { madeBundle } from './made-bundle.js';
import { providerOf, realSleep, requestOf, transportOf } from './made-call.js';

export interface PlayedCall {
  readonly answer: Answer;
  readonly connections: number;
  readonly requests: readonly ReceivedRequest[];
  /** Milliseconds waited between tries; no time really passes. */
  readonly waits: readonly number[];
  /** The attempts that `beforeConnect` was told of. */
  readonly attempts: readonly number[];
}

export interface Plan {
  readonly replies: ScriptInput['replies'];
  readonly tls?: boolean;
  readonly message?: string;
  readonly provider?: Partial<ProviderSettings>;
  readonly request?: Partial<SendRequest>;
  readonly transport?: Partial<HttpTransportOptions>;
}

export const playCall = async (plan: Plan): Promise<PlayedCall> => {
  const sandbox = await startSandbox({
    tls: plan.tls ?? false,
    keepBodies: true,
    script: readScript({ replies: plan.replies }),
  });
  const waits: number[] = [];
  const attempts: number[] = [];
  const signal = plan.request?.signal ?? new AbortController().signal;
  const sleep = async (ms: number, until: AbortSignal): Promise<void> => {
    if (until === signal) {
      waits.push(ms);
    } else {
      await realSleep(ms, until);
    }
  };
  try {
    const transport = transportOf({ sleep, ...plan.transport });
    const bundle = madeBundle(plan.message ?? 'one line\n');
    const answer = await transport.send(
      requestOf(providerOf(sandbox, plan.provider), {
        brief: { kind: 'sealed', bundle },
        beforeConnect: async (attempt) => {
          attempts.push(attempt);
        },
        signal,
        ...plan.request,
      }),
    );
    return { answer, connections: sandbox.connections(), requests: [...sandbox.requests()], waits, attempts };
  } finally {
    await sandbox.close();
  }
};

/** Every form in which an encoder could show a value; for tests that it shows none. */
export const encodedForms = (value: string): readonly string[] => {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  const escaped = (prefix: string, width: number, after = ''): string =>
    [...value].map((letter) => `${prefix}${letter.charCodeAt(0).toString(16).padStart(width, '0')}${after}`).join('');
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    escaped('%', 2),
    encodeURIComponent(escaped('%', 2)),
    escaped('\\u', 4),
    escaped('\\\\u', 4),
    escaped('&#x', 1, ';'),
    [...value].map((letter) => `&#${letter.charCodeAt(0)};`).join(''),
    hex,
    hex.toUpperCase(),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    Buffer.from(`Bearer ${value}`).toString('base64'),
    Buffer.from(`x:${value}`).toString('base64'),
    Buffer.from(`ab:${value}:cd`).toString('base64url'),
    value.toUpperCase(),
  ];
};
