/**
 * What the gate adds to one call: the same request of 100 KB straight to a provider and through the gate, turn by turn,
 * over real HTTP and TLS on this machine. The service is the built program in a process of its own; the client keeps its
 * connections, as the official packages do, on both ways.
 *
 *   npm run bench -- gate-latency [calls]
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientRequest, Agent as PlainAgent, request as plainRequest, type RequestOptions } from 'node:http';
import { Agent, request as tlsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRecordingProvider } from '../test/support/recording-provider.js';

const NAME = 'models.example.com';
const MODEL = 'vendor/model-1';
const CALLS = Number(process.argv[2] ?? 200);
const WARM_UP = 30;
const ANSWER = JSON.stringify({
  model: MODEL,
  choices: [{ message: { role: 'assistant', content: 'x'.repeat(400) } }],
});

/** A conversation of an agent: code and prose of this project in messages of some kilobytes. */
const conversation = (bytes: number): string => {
  const root = process.cwd();
  const text = ['README.md', 'src/app/surroundings.ts', 'src/contract/codes.ts', 'package.json']
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n');
  const messages: object[] = [{ role: 'system', content: 'You are careful.' }];
  for (let at = 0; JSON.stringify(messages).length < bytes - 200; at += 1) {
    const content = text
      .slice((at * 2500) % text.length)
      .slice(0, Math.min(2500, bytes - JSON.stringify(messages).length));
    const role = ['user', 'assistant', 'tool'][at % 3];
    messages.push(role === 'tool' ? { role, tool_call_id: `call_${at}`, content } : { role, content });
  }
  return JSON.stringify({ model: MODEL, messages });
};

const provider = await startRecordingProvider(NAME, (_call, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(ANSWER) });
  response.end(ANSWER);
});
const home = mkdtempSync(join(tmpdir(), 'coldseal-bench-'));
mkdirSync(join(home, '.abcd.noindex'), { mode: 0o700 });
writeFileSync(
  join(home, '.abcd.noindex', 'config.json'),
  JSON.stringify({
    oracle: { api: { there: { base_url: `https://${NAME}/v1`, models: [MODEL] } } },
    coldseal: {
      providers: { there: { resolve: { [NAME]: `127.0.0.1:${provider.port}` }, ca_file: provider.caFile } },
      gate: { providers: ['there'] },
    },
  }),
  { mode: 0o600 },
);
const service = spawn(process.execPath, ['dist/cli.js', 'serve', '--listen', '127.0.0.1:0', '--json', '-q'], {
  env: { PATH: process.env['PATH'] ?? '', HOME: home },
  stdio: ['ignore', 'pipe', 'inherit'],
});

const listening = await new Promise<{ url: string; token_file: string }>((resolve, reject) => {
  let said = '';
  service.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
    if (said.includes('\n')) resolve(JSON.parse(said.split('\n')[0] ?? ''));
  });
  service.once('exit', () => reject(new Error('the service ended')));
});
const token = readFileSync(listening.token_file, 'utf8').trim();

const body = Buffer.from(conversation(100 * 1024));
const secret = `gh${'p_'}${'Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2'}`;
const withSecret = Buffer.from(body.toString('utf8').replace('You are careful.', `You hold ${secret}.`));
const tlsAgent = new Agent({ keepAlive: true, ca: provider.certificate, servername: NAME });
const plainAgent = new PlainAgent({ keepAlive: true });

/** Milliseconds from the call to the answer's last byte. */
const timed = (
  open: (options: RequestOptions) => ClientRequest,
  options: RequestOptions,
  sent: Buffer,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const startMs = performance.now();
    const headers = { 'content-type': 'application/json', 'content-length': sent.length, ...options.headers };
    const call = open({ host: '127.0.0.1', method: 'POST', ...options, headers });
    call.on('error', reject);
    call.on('response', (response) => {
      let answer = '';
      response.on('data', (chunk: Buffer) => {
        answer += chunk.toString('latin1');
      });
      response.on('end', () => {
        if (answer !== ANSWER) reject(new Error(`another answer: ${response.statusCode} ${answer.slice(0, 200)}`));
        else resolve(performance.now() - startMs);
      });
    });
    call.end(sent);
  });

const direct = (sent: Buffer): Promise<number> =>
  timed(tlsRequest, { port: provider.port, agent: tlsAgent, path: '/v1/chat/completions' }, sent);
const through = (sent: Buffer): Promise<number> =>
  timed(
    plainRequest,
    {
      port: Number(new URL(listening.url).port),
      agent: plainAgent,
      path: '/v1/gate/there/chat/completions',
      headers: { authorization: `Bearer ${token}` },
    },
    sent,
  );

const quantile = (figures: readonly number[], share: number): string =>
  ([...figures].sort((a, b) => a - b)[Math.floor(figures.length * share)] ?? Number.NaN).toFixed(2);

try {
  for (const [what, sent] of [
    ['no secret', body],
    ['one secret', withSecret],
  ] as const) {
    const straight: number[] = [];
    const gated: number[] = [];
    for (let call = -WARM_UP; call < CALLS; call += 1) {
      provider.calls.length = 0;
      const directMs = await direct(sent);
      const gateMs = await through(sent);
      if (call < 0) continue;
      straight.push(directMs);
      gated.push(gateMs);
    }
    const added = gated.map((ms, index) => ms - (straight[index] ?? 0));
    console.log(
      `${what}: ${sent.length} bytes, ${CALLS} calls; direct p50 ${quantile(straight, 0.5)} ms, through the gate p50 ${quantile(gated, 0.5)} ms; added p50 ${quantile(added, 0.5)} ms, p90 ${quantile(added, 0.9)} ms, p99 ${quantile(added, 0.99)} ms`,
    );
  }
} finally {
  tlsAgent.destroy();
  plainAgent.destroy();
  service.kill('SIGTERM');
  await new Promise((resolve) => {
    service.once('exit', resolve);
  });
  await provider.close();
  rmSync(home, { recursive: true, force: true });
}
