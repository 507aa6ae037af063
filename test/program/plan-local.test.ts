/** A plan for a provider on this machine says what a send would be refused for, as a plan for a remote one does. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';

let home: ProgramHome;
let repository: MadeRepository;

beforeEach(() => {
  home = makeProgramHome({
    oracle: {
      api: { here: { base_url: 'http://127.0.0.1:9/v1', key: 'here', models: ['m'] } },
      roles: { 'change-reviewer': 'here/m' },
    },
    coldseal: { credentials: { here: { env: 'COLDSEAL_TEST_UNSET' } } },
  });
  repository = makeRepository();
  repository.commit('first', { 'a.txt': 'a\n' });
});
afterEach(() => {
  home.remove();
  repository.close();
});

it('names the credential that has no value, and is planned', async () => {
  const planned = await home.run(repository.folder, ['review', '--plan']);
  expect(planned.exit).toBe(0);
  expect(planned.stdout).toContain('stays on this machine: the request goes to here');
  expect(planned.stderr).toMatch(
    /^coldseal: a send would be refused \(CREDENTIAL_MISSING\): .*COLDSEAL_TEST_UNSET is not set/m,
  );
});
