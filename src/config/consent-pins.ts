/**
 * The pins: for each provider that something was sent to, the block that the owner consented to, one file a provider under
 * `coldseal/consent/` in the machine folder, 0600. One file each, because then the first of two processes wins by the file
 * system alone and no pin can be lost to another provider's.
 *
 * A pin of another version, with a member missing or one too many, or whose digest is not its block's is not read in part:
 * the owner is asked again.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { link, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../contract/canonical-json.js';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import { type ConsentBlock, consentDigest } from './consent-block.js';

const PIN_VERSION = 1;
const PIN_MEMBERS = ['block', 'digest', 'pinned_at', 'provider', 'v'];
const LARGEST_PIN_BYTES = 1024 * 1024;

export interface PinPlace {
  readonly machineFolder: string;
  /** Its name is the file's: 1 to 32 of a-z 0-9 _ -. */
  readonly provider: string;
  readonly uid: number;
}

export interface PinWrite extends PinPlace {
  readonly block: ConsentBlock;
  readonly now: Date;
  /** A word no other file of the folder has in its name. */
  readonly uniqueWord: string;
}

export type ReadPin =
  | { readonly kind: 'none' }
  | { readonly kind: 'pinned'; readonly block: ConsentBlock; readonly pinnedAt: string }
  /** There is one that says nothing; `why` completes the sentence `the pin ...`. */
  | { readonly kind: 'unknown'; readonly why: string };

/** `CONFIG_UNSAFE` for a pin that is not the caller's alone. Synchronous inside, as the machine file's reading is. */
export async function readConsentPin(place: PinPlace): Promise<ReadPin> {
  const path = pathOf(place);
  const descriptor = opened(path);
  if (descriptor === null) return { kind: 'none' };
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile() || facts.uid !== place.uid || (facts.mode & 0o077) !== 0) {
      throw unsafe(path, 'is not a file of yours alone');
    }
    if (facts.size > LARGEST_PIN_BYTES) return { kind: 'unknown', why: `has ${facts.size} bytes` };
    return judgePin(readFileSync(descriptor, 'utf8'), place.provider);
  } finally {
    closeSync(descriptor);
  }
}

function opened(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? fault.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw unsafe(path, 'cannot be opened', fault);
  }
}

/** Pins the block unless there is a pin already, whichever. True when this call made it. */
export async function pinFirst(write: PinWrite): Promise<boolean> {
  return await withWritten(write, async (beside, path) => {
    try {
      await link(beside, path);
      return true;
    } catch (fault) {
      if (fault instanceof Error && 'code' in fault && fault.code === 'EEXIST') return false;
      throw fault;
    }
  });
}

/** Pins the block in the place of whatever was pinned. */
export async function replacePin(write: PinWrite): Promise<void> {
  await withWritten(write, async (beside, path) => rename(beside, path));
}

/** Takes a first pin back when nothing left after all. Missing is fine. */
export async function removePin(place: PinPlace): Promise<void> {
  await rm(pathOf(place), { force: true });
}

function judgePin(text: string, provider: string): ReadPin {
  const pin = parsed(text);
  if (pin === null) return { kind: 'unknown', why: 'is no JSON object' };
  if (pin['v'] !== PIN_VERSION) return { kind: 'unknown', why: 'was written by another version' };
  const { block, digest, pinned_at: pinnedAt } = pin;
  const whole =
    Object.keys(pin).toSorted().join() === PIN_MEMBERS.join() &&
    pin['provider'] === provider &&
    typeof pinnedAt === 'string' &&
    isObject(block);
  if (!whole) return { kind: 'unknown', why: 'is not whole' };
  if (digest !== consentDigest(block)) return { kind: 'unknown', why: 'was changed by hand' };
  return { kind: 'pinned', block, pinnedAt };
}

async function withWritten<T>(write: PinWrite, place: (beside: string, path: string) => Promise<T>): Promise<T> {
  const { block, provider, now, uniqueWord } = write;
  const path = pathOf(write);
  const beside = join(folderOf(write), `.${provider}.${uniqueWord}`);
  const pin = { v: PIN_VERSION, provider, pinned_at: now.toISOString(), digest: consentDigest(block), block };
  try {
    await mkdir(folderOf(write), { recursive: true, mode: 0o700 });
    const file = await open(beside, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
    try {
      await file.writeFile(`${canonicalJson(pin)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    return await place(beside, path);
  } catch (fault) {
    throw unsafe(path, 'cannot be written', fault);
  } finally {
    await rm(beside, { force: true });
  }
}

function folderOf({ machineFolder }: PinPlace): string {
  return join(machineFolder, 'coldseal', 'consent');
}

function pathOf(place: PinPlace): string {
  return join(folderOf(place), `${place.provider}.json`);
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unsafe(path: string, why: string, cause?: unknown): ColdsealError {
  return new ColdsealError(
    'CONFIG_UNSAFE',
    `The consent pin ${printable(path)} ${why}. Give it mode 0600 and yourself as owner, or remove it and approve the provider anew with \`coldseal providers approve\`.`,
    { cause },
  );
}
