/**
 * The one writer of the machine file, for verbs that a person types (`init`, `cap`, `list`, `withhold`, `allow`). The
 * result is judged as a whole before it takes the old file's place: an edit can never leave settings that do not read.
 *
 * Written beside the old file, flushed and renamed, 0600 in a 0700 folder. The old file is compared again just before the
 * rename, so an editor's save in between is not lost; two verbs at the very same instant are not told apart.
 */
import { constants } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import { type Edit, editJsonText } from './edit-json-text.js';
import { placeFinder } from './json-document.js';
import { judgeMachineFolder, type MachineFolder, type MachineFolderFacts } from './machine-folder.js';
import { machineShape, noteContradictions } from './machine-schema.js';
import { ProblemList } from './problem-list.js';
import { readSettingsFile, type SettingsDocument } from './read-settings-file.js';
import { readStrictJson } from './strict-json.js';
import { refuseTyped, type TypedMember } from './typed-member.js';

export interface MachineFileWrite {
  readonly facts: MachineFolderFacts;
  readonly edits: readonly Edit[];
  /** What the person typed for which member, so that a refusal speaks of their words. */
  readonly typed: readonly TypedMember[];
  /** A word no other file of the folder has in its name, e.g. 8 random letters. */
  readonly uniqueWord: string;
}

export interface WrittenMachineFile {
  readonly file: string;
  /** The file was not there before. */
  readonly created: boolean;
  /** The edits changed something. */
  readonly changed: boolean;
}

/**
 * `CONFIG_UNSAFE` for an unsafe folder or file, `CONFIG_INVALID` for one that does not read or changed meanwhile, `USAGE`
 * when it would not read with what was typed.
 */
export async function writeMachineFile({
  facts,
  edits,
  typed,
  uniqueWord,
}: MachineFileWrite): Promise<WrittenMachineFile> {
  const place = await judgeMachineFolder(facts);
  const before = await readNow(place, facts.uid);
  if (before !== null) requireReadable(before);
  const text = edits.reduce(editJsonText, before?.text ?? '{}\n');
  refuseTyped(problemsOf(documentOf(place.file, text)).messages(), typed);
  const outcome = { file: place.file, created: before === null };
  if (text === before?.text) return { ...outcome, changed: false };
  try {
    if (!place.present) await mkdir(place.folder, { mode: 0o700 });
    await replaceFile(place, text, uniqueWord, async () => {
      const now = await readNow({ ...place, present: true }, facts.uid);
      if ((now?.digest ?? null) !== (before?.digest ?? null)) throw changedMeanwhile(place.file);
    });
  } catch (error) {
    throw error instanceof ColdsealError ? error : unwritable(place.file, error);
  }
  return { ...outcome, changed: true };
}

async function readNow(place: MachineFolder, uid: number): Promise<SettingsDocument | null> {
  return place.present ? await readSettingsFile(place.file, { uid, privateWrites: true }) : null;
}

function documentOf(file: string, text: string): SettingsDocument {
  const { root, problems } = readStrictJson(new TextEncoder().encode(text));
  return { file, text, digest: '', root, problems, placeOf: placeFinder(text) };
}

function requireReadable(document: SettingsDocument): void {
  problemsOf(document).refuse();
}

function problemsOf(document: SettingsDocument): ProblemList {
  const problems = new ProblemList();
  problems.read(document, machineShape);
  if (document.root !== null) noteContradictions(document.root, problems.noteIn(document));
  return problems;
}

async function replaceFile(
  place: MachineFolder,
  text: string,
  uniqueWord: string,
  beforeRename: () => Promise<void>,
): Promise<void> {
  const beside = join(place.folder, `.config.json.${uniqueWord}`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(beside, flags, 0o600);
  try {
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await beforeRename();
    await rename(beside, place.file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  await flushFolder(place.folder);
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function changedMeanwhile(file: string): ColdsealError {
  return new ColdsealError(
    'CONFIG_INVALID',
    `${printable(file)} was changed while it was being edited; run the verb again.`,
  );
}

function unwritable(file: string, cause: unknown): ColdsealError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  return new ColdsealError('CONFIG_UNSAFE', `${printable(file)} cannot be written (${code}).`, { cause });
}
