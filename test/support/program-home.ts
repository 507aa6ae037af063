/** A throw-away home with its machine folder, and the built program run in it as a child. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from './make-repository.js';
import { type ProgramRun, type ProgramWords, runColdseal } from './run-coldseal.js';

export interface JsonRun extends ProgramRun {
  readonly document: JsonDocument;
  /** Exit code, outcome, code and message in one line, so that a failing test says why. */
  readonly ended: string;
}

/** What a sending verb prints with `--json`; tests look at what they need of it. */
export interface JsonDocument {
  readonly outcome: string;
  readonly code?: string;
  readonly message?: string;
  readonly route: { readonly provider: string | null; readonly origin: string; readonly remote: boolean };
  readonly bundle?: {
    readonly kind: string;
    readonly bytes: number;
    readonly items: readonly { readonly id: string; readonly input: string; readonly [name: string]: unknown }[];
    readonly blanked: readonly object[];
    readonly [name: string]: unknown;
  };
  readonly answer?: { readonly path?: string };
  readonly record?: { readonly id: string };
}

export interface ProgramHome {
  readonly home: string;
  readonly machineFolder: string;
  readonly machineFile: string;
  writeMachine(settings: unknown): void;
  /** The owner's definition of an agent, so that a test knows the system message. */
  writeAgent(agent: string, definition: string): void;
  run(folder: string, words: readonly string[], more?: Partial<ProgramWords>): Promise<ProgramRun>;
  /** The same with `--json`, its document parsed. */
  runJson(folder: string, words: readonly string[]): Promise<JsonRun>;
  /** Rows of the record store, oldest first. */
  rows(): readonly Record<string, unknown>[];
  remove(): void;
}

export const makeProgramHome = (settings: unknown): ProgramHome => {
  const home = makeTestFolder();
  const machineFolder = join(home, '.abcd.noindex');
  mkdirSync(machineFolder, { mode: 0o700 });
  const machineFile = join(machineFolder, 'config.json');
  const writeMachine = (written: unknown): void => writeFileSync(machineFile, JSON.stringify(written), { mode: 0o600 });
  writeMachine(settings);
  const run: ProgramHome['run'] = (folder, words, more = {}) => runColdseal(words, { folder, home, ...more });
  return {
    home,
    machineFolder,
    machineFile,
    writeMachine,
    writeAgent: (agent, definition) => {
      mkdirSync(join(machineFolder, 'agents'), { recursive: true, mode: 0o700 });
      writeFileSync(join(machineFolder, 'agents', `${agent}.md`), definition, { mode: 0o600 });
    },
    run,
    runJson: async (folder, words) => {
      const ran = await run(folder, [...words, '--json']);
      if (ran.stdout === '') throw new Error(`exit ${ran.exit} without a document: ${ran.stderr}`);
      const document = JSON.parse(ran.stdout) as JsonDocument;
      const { outcome, code = '', message = '' } = document;
      return { ...ran, document, ended: `${ran.exit} ${outcome} ${code} ${message}`.trimEnd() };
    },
    rows: () => rowsIn(join(machineFolder, 'coldseal', 'records')),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
};

const rowsIn = (folder: string): readonly Record<string, unknown>[] => {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  } catch {
    return [];
  }
  return names
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};
