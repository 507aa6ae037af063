/**
 * The stage of the demonstration, in one temporary folder that is removed at the end: a home of its own, a repository of
 * two commits with planted secrets, and the sandbox as a provider that is judged remote. Nothing of the caller's home,
 * proxies or git settings is used.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../../config/environment.js';
import { ColdsealError } from '../../contract/error.js';
import { openSandbox } from '../open-sandbox.js';
import type { Surroundings } from '../surroundings.js';
import { type DemoFiles, demoFiles, type Planted } from './demo-files.js';

export interface Demo {
  /** As a run in the made-up repository sees them. */
  readonly surroundings: Surroundings;
  readonly planted: readonly Planted[];
  /** The user message of the newest request that the sandbox received; `null` before the first. */
  received(): string | null;
  close(): Promise<void>;
}

const PROXY_VARIABLES: ReadonlySet<string> = new Set(['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy']);

export const openDemo = async (caller: Surroundings): Promise<Demo> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'coldseal-demo-')));
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const home = join(folder, 'home');
    const repository = join(folder, 'weather');
    const environment = demoEnvironment(caller.environment, home);
    const files = demoFiles(Buffer.from(caller.random(16)).toString('hex'));
    await mkdir(join(home, '.abcd.noindex'), { recursive: true, mode: 0o700 });
    await makeRepository(repository, environment, files);
    const sandbox = await openSandbox({ port: 0, script: null, bodiesFolder: null, onRequest: () => {} });
    const settings = `${JSON.stringify(sandbox.fragment, null, 2)}\n`;
    await writeFile(join(home, '.abcd.noindex', 'config.json'), settings, { mode: 0o600 });
    return {
      surroundings: { ...caller, environment, homeFolder: home, accountHome: home, folder: repository },
      planted: files.planted,
      received: () => userMessage(sandbox.requests().at(-1)?.body ?? null),
      close: async () => {
        await sandbox.close();
        await removeFolder();
      },
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
};

const demoEnvironment = (environment: Environment, home: string): Environment => ({
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => !PROXY_VARIABLES.has(name.toLowerCase()))),
  HOME: home,
});

const runFile = promisify(execFile);

const AUTHOR = { name: 'Ada Example', email: 'ada@weather.example' };

const makeRepository = async (folder: string, { PATH, HOME }: Environment, files: DemoFiles): Promise<void> => {
  const env = {
    ...(PATH === undefined ? {} : { PATH }),
    HOME: HOME ?? folder,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: AUTHOR.name,
    GIT_AUTHOR_EMAIL: AUTHOR.email,
    GIT_COMMITTER_NAME: AUTHOR.name,
    GIT_COMMITTER_EMAIL: AUTHOR.email,
  };
  await mkdir(folder, { mode: 0o700 });
  const git = async (...words: readonly string[]): Promise<void> => {
    try {
      await runFile('git', words, { cwd: folder, env, timeout: 60_000 });
    } catch (cause) {
      throw new ColdsealError('GIT_FAILED', `git ${words[0] ?? ''} failed in the made-up repository; is git there?`, {
        cause,
      });
    }
  };
  await git('init', '--quiet', '--initial-branch=main');
  for (const [message, added] of [
    ['Ask for the weather', files.first],
    ['Deploy it', files.change],
  ] as const) {
    for (const [path, content] of Object.entries(added)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    await git('add', '--all', '--force');
    await git('commit', '--quiet', '--message', message);
  }
};

const userMessage = (body: Buffer | null): string | null => {
  if (body === null) return null;
  const request: unknown = JSON.parse(body.toString('utf8'));
  const messages = typeof request === 'object' && request !== null && 'messages' in request ? request.messages : [];
  const texts = (Array.isArray(messages) ? messages : []).flatMap((message: unknown) =>
    typeof message === 'object' && message !== null && 'role' in message && 'content' in message
      ? [{ role: message.role, content: message.content }]
      : [],
  );
  const user = texts.find(({ role }) => role === 'user')?.content;
  return typeof user === 'string' ? user : null;
};
