/** `coldseal sandbox`: a provider on loopback until it is interrupted; its machine-file fragment goes to stdout. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { openSandbox } from '../../app/open-sandbox.js';
import { ColdsealError } from '../../contract/error.js';
import { textOption, type VerbAction } from '../verb-context.js';
import { writeOwnFile } from '../write-own-file.js';

const portOf = (typed: string | null): number => {
  if (typed === null) return 0;
  const port = Number(typed);
  if (!/^\d{1,5}$/.test(typed) || port > 65_535)
    throw new ColdsealError('USAGE', '--port takes a number from 0 to 65535');
  return port;
};

export const sandbox: VerbAction = async ({ flags, terminal, surroundings }, words) => {
  const scriptFile = textOption(words, 'script');
  const script =
    scriptFile === null
      ? null
      : await readFile(resolve(surroundings.folder, scriptFile), 'utf8').catch((cause: unknown) => {
          throw new ColdsealError('USAGE', 'the file of --script cannot be read', { cause });
        });
  const running = await openSandbox({
    port: portOf(textOption(words, 'port')),
    script,
    bodiesFolder: textOption(words, 'keepBodies'),
    onRequest: ({ number, connection, summary }) => {
      if (!flags.quiet) terminal.say(`request ${number} on connection ${connection}: ${summary}`);
    },
  });
  try {
    const fragment = `${JSON.stringify(running.fragment, null, 2)}\n`;
    const fragmentFile = textOption(words, 'writeFragment');
    if (fragmentFile !== null) {
      await writeOwnFile(surroundings.folder, fragmentFile, Buffer.from(fragment), '--write-fragment');
    }
    await terminal.write(flags.json ? `${JSON.stringify(running.fragment)}\n` : fragment);
    if (!flags.json) {
      terminal.say(`coldseal: the sandbox listens on ${running.address} as ${running.name}; end it with Ctrl-C`);
      terminal.say('coldseal: put the fragment above into your machine file (`coldseal config path`) to route to it');
    }
    if (!surroundings.signal.aborted) {
      await new Promise<void>((done) => surroundings.signal.addEventListener('abort', () => done(), { once: true }));
    }
  } finally {
    await running.close();
  }
  return 0;
};
