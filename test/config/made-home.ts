/** A home folder and a checkout in a temporary folder, with the settings files a test puts there. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SettingsFacts } from '../../src/config/read-settings.js';
import { ColdsealError } from '../../src/contract/error.js';

export const callerUid = process.getuid?.() ?? 0;

export interface MadeHome {
  readonly home: string;
  readonly checkout: string;
  readonly machineFile: string;
  readonly machineFolder: string;
  readonly repositoryFile: string;
  readonly routingFile: string;
  /** Writes a file with its folders, settings as JSON or text as it is; mode 0600. */
  write(file: string, content: unknown, mode?: number): void;
  facts(changes?: Partial<SettingsFacts>): SettingsFacts;
  remove(): void;
}

export function makeHome(): MadeHome {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'coldseal-config-')));
  const home = join(root, 'home');
  const checkout = join(root, 'checkout');
  mkdirSync(home);
  mkdirSync(checkout);
  const machineFolder = join(home, '.abcd.noindex');
  return {
    home,
    checkout,
    machineFolder,
    machineFile: join(machineFolder, 'config.json'),
    repositoryFile: join(checkout, '.abcd', 'config.json'),
    routingFile: join(checkout, '.abcd', 'config', 'oracle-routing.json'),
    write: (file, content, mode = 0o600) => {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const bytes = typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content);
      writeFileSync(file, bytes);
      chmodSync(file, mode);
    },
    facts: (changes = {}) => ({
      environment: {},
      homeFolder: home,
      accountHome: home,
      uid: callerUid,
      workTree: checkout,
      checkout,
      isTracked: () => Promise.resolve(false),
      cores: 4,
      ...changes,
    }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The refusal that a promise ends in; anything else fails the test. */
export async function refusalOf(run: Promise<unknown>): Promise<ColdsealError> {
  const outcome = await run.then(
    () => 'no refusal',
    (error: unknown) => error,
  );
  if (outcome instanceof ColdsealError) return outcome;
  throw new Error(`a refusal was due, not: ${String(outcome)}`);
}
