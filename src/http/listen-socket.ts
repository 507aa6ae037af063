/**
 * A socket in the file system. Its place is judged before it is taken: a link there, or a folder that others may write,
 * would let somebody else stand in the service's place. A socket that nobody answers on is what a killed service left.
 */
import type { Stats } from 'node:fs';
import { chmod, lstat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import type { ServiceServer } from './route-group.js';

const OTHERS_MAY_WRITE = 0o022;
const STICKY = 0o1000;

/** `CONFIG_UNSAFE` for a place that is not safe, `USAGE` for one where a service answers. Mode 0600. */
export const listenOnSocket = async (server: ServiceServer, path: string): Promise<void> => {
  await judgePlace(path);
  const before = process.umask(0o077);
  try {
    await server.listen({ path });
  } catch (cause) {
    throw new ColdsealError('USAGE', `${printable(path)} cannot be listened on; name another place`, { cause });
  } finally {
    process.umask(before);
  }
  await chmod(path, 0o600);
};

export const removeSocket = async (path: string): Promise<void> => {
  const facts = await lstat(path).catch(() => null);
  if (facts?.isSocket() === true) await unlink(path).catch(() => undefined);
};

const unsafe = (path: string, what: string): ColdsealError =>
  new ColdsealError('CONFIG_UNSAFE', `the socket ${printable(path)} ${what}`);

const judgePlace = async (path: string): Promise<void> => {
  const uid = process.geteuid?.() ?? 0;
  const folder = await lstat(dirname(path)).catch(() => null);
  if (folder === null || !folder.isDirectory()) throw unsafe(path, 'stands in no real folder; make it first');
  if (folder.uid !== uid && folder.uid !== 0) throw unsafe(path, 'stands in a folder of somebody else');
  if ((folder.mode & OTHERS_MAY_WRITE) !== 0 && (folder.mode & STICKY) === 0) {
    throw unsafe(path, 'stands in a folder that others may write; run chmod go-w on it');
  }
  const facts = await lstat(path).catch(() => null);
  if (facts === null) return;
  refuseStranger(path, facts, uid);
  if (await isAnswered(path)) throw new ColdsealError('USAGE', `a service answers on ${printable(path)} already`);
  await unlink(path);
};

const refuseStranger = (path: string, facts: Stats, uid: number): void => {
  if (facts.isSymbolicLink()) throw unsafe(path, 'is a symbolic link; remove it');
  if (!facts.isSocket()) throw unsafe(path, 'is something else already; name another place');
  if (facts.uid !== uid) throw unsafe(path, 'belongs to somebody else');
};

const isAnswered = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    const end = (isAnswering: boolean): void => {
      socket.destroy();
      resolve(isAnswering);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
