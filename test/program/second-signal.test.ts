/** A run that stands in a read without an end must still be the person's to end. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeTestFolder } from '../support/make-repository.js';
import { runColdseal } from '../support/run-coldseal.js';

let home: string;
beforeAll(() => {
  home = makeTestFolder();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The writing end, once the program has the reading one. */
const writingEnd = async (pipe: string): Promise<number> => {
  for (;;) {
    try {
      return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'ENXIO') throw fault;
      await pause(20);
    }
  }
};

it('ends at the second signal although a read stands in a pipe that nobody writes to', async () => {
  const pipe = join(home, 'script.json');
  execFileSync('/usr/bin/mkfifo', [pipe]);
  let held = -1;
  let isRunning = true;
  let signalling = Promise.resolve();
  const ran = await runColdseal(['sandbox', '--script', pipe], {
    home,
    folder: home,
    onStart: (child) => {
      child.on('close', () => {
        isRunning = false;
      });
      signalling = (async () => {
        held = await writingEnd(pipe);
        while (isRunning) {
          child.kill('SIGINT');
          await pause(100);
        }
      })();
    },
  });
  await signalling;
  closeSync(held);
  expect([ran.exit, ran.signal]).toEqual([null, 'SIGINT']);
}, 120_000);
