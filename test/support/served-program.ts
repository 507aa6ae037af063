/** The built program's service as a child, until it is told to end. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ProgramHome } from './program-home.js';
import type { ProgramRun } from './run-coldseal.js';

export interface ServedProgram {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  readonly token: string;
  /** Sends the signal and waits for its end. */
  end(signal?: NodeJS.Signals): Promise<ProgramRun>;
}

export const serveProgram = async (
  home: ProgramHome,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServedProgram> => {
  let child: ChildProcess | null = null;
  let ran: Promise<ProgramRun> = Promise.reject(new Error('not started'));
  ran.catch(() => undefined);
  const said = await new Promise<{ url: string; token_file: string }>((resolve, reject) => {
    let stdout = '';
    ran = home.run(home.home, ['serve', '--listen', '127.0.0.1:0', '--json', '-q'], {
      environment,
      onStart: (started) => {
        child = started;
        started.stdout?.on('data', (chunk: Buffer) => {
          stdout += chunk.toString('utf8');
          if (stdout.includes('\n')) resolve(JSON.parse(stdout.split('\n')[0] ?? ''));
        });
      },
    });
    ran.then((end) => reject(new Error(`the service ended with ${end.exit}: ${end.stderr}`)), reject);
  });
  return {
    url: said.url,
    token: readFileSync(said.token_file, 'utf8').trim(),
    end: (signal = 'SIGTERM') => {
      child?.kill(signal);
      return ran;
    },
  };
};
