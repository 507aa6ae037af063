/** Rule 1: who may take a file-reading helper, and that a provider on this machine is outside the rules. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandExample } from '../../src/rules/expand-example.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import {
  INTENTS,
  makeRecordRepository,
  type RecordRepository,
  shippedIntent,
} from '../support/make-record-repository.js';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';

const TOKEN = expandExample('{github:ghp}', 'rule-01');
const AUDITOR = 'sandbox/summary-1';

describe('rule 1: a keyless provider and the auditor that the machine file routes to it', () => {
  let world: ProgramWorld;
  let local: Sandbox;
  let localHome: ProgramHome;
  let repository: RecordRepository;

  beforeAll(async () => {
    world = await openProgramWorld();
    local = await startSandbox({ tls: false, keepBodies: true });
    const api = { sandbox: { base_url: local.baseUrl, models: [local.model] } };
    localHome = makeProgramHome({ oracle: { api, roles: { 'intent-auditor': AUDITOR }, bundles: { cap: 1 } } });
    repository = makeRecordRepository();
  });
  afterAll(async () => {
    await world.close();
    await local.close();
    localHome.remove();
    repository.close();
  });

  const audit = ['intent', 'audit', 'itd-7'];

  it('is refused on another host when the owner’s list does not name it: no connection, no file, one row', async () => {
    const { oracle, coldseal } = world.fragment();
    const { bundled_context_providers: _, ...rest } = oracle;
    world.writeMachine({ oracle: { ...rest, roles: { 'intent-auditor': AUDITOR } }, coldseal });
    const run = await world.run(repository.folder, audit);
    expect(run.exit).toBe(2);
    expect(run.stdout).toBe('');
    expect(run.stderr).toContain('refused (NOT_BUNDLED_CONTEXT): ');
    for (const named of ['DR5', 'oracle.bundled_context_providers', world.machineFile]) {
      expect(run.stderr).toContain(named);
    }
    expect(run.stderr).toContain('--route intent-auditor=host-decides');
    expect(world.sandbox.connections()).toBe(0);
    expect(existsSync(join(repository.folder, '.abcd/.work.local'))).toBe(false);
    expect(world.rows()).toMatchObject([{ event: 'refused', code: 'NOT_BUNDLED_CONTEXT', kind: 'intent_audit' }]);
  });

  it('is sent at once when the list names it', async () => {
    const { oracle, coldseal } = world.fragment();
    world.writeMachine({ oracle: { ...oracle, roles: { 'intent-auditor': AUDITOR } }, coldseal });
    const { ended, document } = await world.runJson(repository.folder, audit);
    expect(ended).toBe('0 sent');
    expect(document).toMatchObject({
      outcome: 'sent',
      route: { remote: true, provider: 'sandbox', origin: 'machine' },
    });
    expect(world.sandbox.requests()).toHaveLength(1);
  });

  it('takes the request files as they are at a loopback address: unlisted, unscanned and over any cap', async () => {
    localHome.writeAgent('intent-auditor', 'Answer with one JSON document.\n');
    const token = `- one machine, whose key is ${TOKEN}`;
    repository.write(`${INTENTS}/shipped/itd-7-send-safely.md`, shippedIntent.replace('- one machine', token));
    const { ended, document } = await localHome.runJson(repository.folder, audit);
    expect(ended).toBe('0 sent');
    expect(document).toMatchObject({ outcome: 'sent', route: { remote: false, provider: 'sandbox' } });
    expect(document.bundle).toBeUndefined();
    const answer = String(document.answer?.path);
    const request = readFileSync(join(repository.folder, answer.replace('.answer.json', '.request.md')), 'utf8');
    expect(request).toContain(token);
    const messages = [
      { role: 'system', content: 'Answer with one JSON document.\n' },
      { role: 'user', content: request },
    ];
    const body = { model: 'summary-1', messages, stream: true, stream_options: { include_usage: true } };
    expect(local.requests()).toHaveLength(1);
    expect(local.requests()[0]?.body?.equals(Buffer.from(JSON.stringify(body)))).toBe(true);
    expect(localHome.rows()).toMatchObject([
      { event: 'start', bundle: null },
      { event: 'end', outcome: 'sent' },
    ]);
    repository.git(['checkout', '-q', '--', '.']);
  });
});
