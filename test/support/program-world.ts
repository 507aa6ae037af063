/**
 * What a program test needs: a throw-away home, a provider of the project's own over TLS that keeps what it receives, and
 * the built program run as a child. The provider is judged remote: its name is, and `resolve` leads to this machine.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { makeTestFolder } from './make-repository.js';
import { type ProgramRun, type ProgramWords, runColdseal } from './run-coldseal.js';

export interface ProgramWorld {
  readonly home: string;
  readonly sandbox: Sandbox;
  readonly machineFile: string;
  /** The fragment as an object that a test may change before `writeMachine`. */
  fragment(): MachineObject;
  writeMachine(settings: unknown): void;
  run(folder: string, words: readonly string[], more?: Partial<ProgramWords>): Promise<ProgramRun>;
  /** The user message of the newest request, as text. */
  message(): string;
  /** Rows of the record store, oldest first. */
  rows(): readonly Record<string, unknown>[];
  close(): Promise<void>;
}

export interface MachineObject {
  oracle: Record<string, unknown>;
  coldseal: Record<string, unknown>;
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });

/** Files below the folder that hold these bytes; `skip` names folders that may. */
export const filesHolding = (folder: string, text: string, skip: readonly string[] = []): readonly string[] =>
  filesBelow(folder).filter(
    (path) =>
      !skip.some((name) => path.includes(`/${name}/`)) && statSync(path).isFile() && readFileSync(path).includes(text),
  );

export const openProgramWorld = async (): Promise<ProgramWorld> => {
  const home = makeTestFolder();
  const sandbox = await startSandbox({ tls: true, keepBodies: true });
  const machineFolder = join(home, '.abcd.noindex');
  mkdirSync(machineFolder, { mode: 0o700 });
  const machineFile = join(machineFolder, 'config.json');
  const fragment = (): MachineObject => structuredClone(sandbox.fragment) as unknown as MachineObject;
  const writeMachine = (settings: unknown): void =>
    writeFileSync(machineFile, JSON.stringify(settings), { mode: 0o600 });
  writeMachine(fragment());
  const recordsFolder = join(machineFolder, 'coldseal', 'records');
  return {
    home,
    sandbox,
    machineFile,
    fragment,
    writeMachine,
    run: (folder, words, more = {}) => runColdseal(words, { folder, home, ...more }),
    message: () => messageOf(sandbox),
    rows: () => rowsIn(recordsFolder),
    close: async () => {
      await sandbox.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
};

const messageOf = (sandbox: Sandbox): string => {
  const body = sandbox.requests().at(-1)?.body;
  if (body === undefined || body === null) throw new Error('the provider received nothing');
  const request = JSON.parse(body.toString('utf8')) as { messages: { role: string; content: string }[] };
  return request.messages.find(({ role }) => role === 'user')?.content ?? '';
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
