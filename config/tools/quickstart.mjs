// `npm run quickstart`: from a fresh clone to one bundle sent, in one command. Installs and builds what is missing, makes a
// throw-away home, starts the sandbox (a provider on this machine under a remote name, over TLS), reviews the last commit
// of this very repository through the whole remote path, and shows what was received, blanked and recorded.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { installWhatIsMissing } from './install.mjs';
import { root, run } from './run-program.mjs';

installWhatIsMissing();
run(process.execPath, ['config/tools/build.mjs']);

const home = mkdtempSync(join(tmpdir(), 'coldseal-quickstart-'));
const machineFolder = join(home, '.abcd.noindex');
mkdirSync(machineFolder, { mode: 0o700 });
const environment = { ...process.env, HOME: home };
// The sandbox stands on this machine; a proxy of the caller's would not find it.
for (const name of ['HTTPS_PROXY', 'https_proxy']) delete environment[name];
const program = join(root, 'dist', 'cli.js');

const sandbox = spawn(process.execPath, [program, 'sandbox', '--write-fragment', join(home, 'fragment.json')], {
  env: environment,
  stdio: ['ignore', 'ignore', 'pipe'],
});
const lines = createInterface({ input: sandbox.stderr })[Symbol.asyncIterator]();
const nextLine = async () => {
  const { value, done } = await lines.next();
  if (done) throw new Error('the sandbox ended before it was asked to');
  return value;
};

const title = (text) => console.log(`\n== ${text}`);

/** Runs a verb and ends with its exit code when it fails. */
const coldseal = (...words) => {
  console.log(`$ coldseal ${words.join(' ')}`);
  const done = spawnSync(process.execPath, [program, ...words], { cwd: root, env: environment, encoding: 'utf8' });
  process.stdout.write(done.stdout);
  process.stdout.write(done.stderr.replace(/^coldseal: HOME is .*\n/m, ''));
  if (done.status !== 0) throw new Error(`coldseal ${words[0]} ended with ${done.status}`);
  return done.stdout;
};

let exit = 0;
try {
  while (!(await nextLine()).includes('listens on'));
  writeFileSync(join(machineFolder, 'config.json'), readFileSync(join(home, 'fragment.json')), { mode: 0o600 });

  title('the plan: what would leave, for where');
  coldseal('review', '--range', 'HEAD~1..HEAD', '--plan');
  title('the send, to a provider that is judged remote');
  coldseal('review', '--range', 'HEAD~1..HEAD');
  title('what the provider received, in short');
  for (let line = await nextLine(); ; line = await nextLine()) {
    if (!line.startsWith('request ')) continue;
    console.log(line);
    break;
  }
  title('the record');
  coldseal('records', 'show', 'last');
  coldseal('records', 'verify');
  title('where to go next');
  console.log(
    [
      'coldseal init --base-url URL --model MODEL --key-env VARIABLE   write your own machine file',
      'coldseal review --plan                                          in any repository of yours',
      'coldseal explain                                                every refusal and what changes it',
      'README.md                                                       the rest',
    ].join('\n'),
  );
} catch (fault) {
  console.error(fault instanceof Error ? fault.message : fault);
  exit = 1;
} finally {
  sandbox.kill('SIGTERM');
  await new Promise((done) =>
    sandbox.exitCode === null && sandbox.signalCode === null ? sandbox.on('exit', done) : done(),
  );
  rmSync(home, { recursive: true, force: true });
}
process.exit(exit);
