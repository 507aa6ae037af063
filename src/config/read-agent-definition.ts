/**
 * An agent's definition from the machine folder, `agents/<agent>.md`: the owner's words for the system message. It is
 * held to the same rules as the machine file, since it is the one text of a call that gives instructions. Never looked
 * for in a checkout.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';

const LARGEST_DEFINITION_BYTES = 1024 * 1024;
const WRITABLE_BY_OTHERS = 0o022;

/** `null` when the owner has none. `CONFIG_UNSAFE` or `CONFIG_INVALID` for one that may not be used. */
export async function readAgentDefinition(machineFolder: string, agent: string, uid: number): Promise<string | null> {
  const path = join(machineFolder, 'agents', `${agent}.md`);
  const shown = printable(path);
  const unsafe = (why: string, cause?: unknown) =>
    new ColdsealError(
      'CONFIG_UNSAFE',
      `The agent definition ${shown} ${why}. Make it your own regular file, mode 0600.`,
      {
        cause,
      },
    );
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ENOENT' || fault.code === 'ENOTDIR') return null;
      throw unsafe('cannot be opened as a regular file', fault);
    },
  );
  if (file === null) return null;
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw unsafe('is no regular file');
    if (facts.uid !== uid && facts.uid !== 0) throw unsafe('belongs to somebody else');
    if ((facts.mode & WRITABLE_BY_OTHERS) !== 0) throw unsafe('may be written by others');
    if (facts.size > LARGEST_DEFINITION_BYTES) {
      throw new ColdsealError(
        'CONFIG_INVALID',
        `The agent definition ${shown} has ${facts.size} bytes; at most ${LARGEST_DEFINITION_BYTES} are read. Shorten it.`,
      );
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.readFile());
  } catch (fault) {
    if (fault instanceof ColdsealError) throw fault;
    throw new ColdsealError('CONFIG_INVALID', `The agent definition ${shown} is not UTF-8 text. Save it as UTF-8.`, {
      cause: fault,
    });
  } finally {
    await file.close();
  }
}
