/**
 * What a program test needs: a throw-away home, a provider of the project's own over TLS that keeps what it receives, and
 * the built program run as a child. The provider is judged remote: its name is, and `resolve` leads to this machine.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { makeProgramHome, type ProgramHome } from './program-home.js';

export interface ProgramWorld extends ProgramHome {
  readonly sandbox: Sandbox;
  /** The fragment as an object that a test may change before `writeMachine`. */
  fragment(): MachineObject;
  /** The user message of the newest request, as text. */
  message(): string;
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
  const sandbox = await startSandbox({ tls: true, keepBodies: true });
  const fragment = (): MachineObject => structuredClone(sandbox.fragment) as unknown as MachineObject;
  const home = makeProgramHome(fragment());
  return {
    ...home,
    sandbox,
    fragment,
    message: () => messageOf(sandbox),
    close: async () => {
      await sandbox.close();
      home.remove();
    },
  };
};

const messageOf = (sandbox: Sandbox): string => {
  const body = sandbox.requests().at(-1)?.body;
  if (body === undefined || body === null) throw new Error('the provider received nothing');
  const request = JSON.parse(body.toString('utf8')) as { messages: { role: string; content: string }[] };
  return request.messages.find(({ role }) => role === 'user')?.content ?? '';
};
