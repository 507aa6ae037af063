/**
 * A repository as the rest of the program reads it: every object through the private folder, every name through the
 * repository itself. A class because it has a lifetime: children and a folder end with it.
 */
import { rm } from 'node:fs/promises';
import { ColdsealError } from '../contract/error.js';
import type { FollowedSignals } from '../contract/follow-signals.js';
import type {
  BlobRead,
  BroughtFile,
  CommitFacts,
  CommitFiles,
  DiffSection,
  ObjectFormat,
  Repository,
  RowJudge,
  TreeChange,
  TreeEntry,
} from '../contract/repository.js';
import { readCommitFiles, readStagedFiles } from './brought-files.js';
import { authorOf, parentsOf } from './commit-object.js';
import { splitDiff } from './diff-sections.js';
import type { GitCalls } from './git-calls.js';
import { gitFailure } from './git-failure.js';
import type { LocatedRepository } from './locate-repository.js';
import { CAT_FILE_SWITCHES, checkObjectName, ObjectReader } from './object-reader.js';
import {
  boundarySwitches,
  checkRoots,
  countBetween,
  findMergeBase,
  isShallowClone,
  listBetween,
  listRoots,
  readCommit,
} from './repository-history.js';
import {
  findDefaultBranch,
  isPathTracked,
  readGitVersion,
  readIdentity,
  resolveCommit,
  resolveHead,
} from './repository-names.js';
import { type RowReader, readChanges, readTree } from './tree-listing.js';
import { readWorkTreePaths } from './work-tree-paths.js';

const LISTING_BYTES = 256 * 1024 * 1024;

const EMPTY_TREES: Readonly<Record<ObjectFormat, string>> = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};

const DIFF = [
  '-r',
  '-p',
  '--full-index',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '-U3',
  '--diff-algorithm=myers',
  '--inter-hunk-context=0',
  '--indent-heuristic',
  '--submodule=short',
  '--ignore-submodules=none',
  '--src-prefix=a/',
  '--dst-prefix=b/',
] as const;

/** What was settled while it was opened. */
export interface Opened {
  readonly located: LocatedRepository;
  readonly workTree: string | null;
  readonly format: ObjectFormat;
  /** HEAD's commit; `null` where it has none that is there. */
  readonly head: string | null;
  readonly privateFolder: string;
  readonly calls: GitCalls;
  /** Its signal ends every child. */
  readonly stop: FollowedSignals;
}

export class OpenedRepository implements Repository {
  readonly workTree: string | null;
  readonly checkout: string;
  readonly gitFolder: string;
  readonly objectFormat: ObjectFormat;
  readonly emptyTree: string;
  readonly #opened: Opened;
  readonly #reader: ObjectReader;
  /** What was begun ahead, by what it answers. */
  readonly #ahead = new Map<string, Promise<unknown>>();
  #boundary: Promise<readonly string[]> | null = null;
  #closed: Promise<void> | null = null;

  constructor(opened: Opened) {
    this.#opened = opened;
    this.workTree = opened.workTree;
    this.checkout = opened.located.workTree ?? opened.located.gitFolder;
    this.gitFolder = opened.located.gitFolder;
    this.objectFormat = opened.format;
    this.emptyTree = EMPTY_TREES[opened.format];
    this.#reader = new ObjectReader((questions) => opened.calls.start('cat-file', CAT_FILE_SWITCHES[questions], []));
  }

  resolveCommit(name: string): Promise<string | null> {
    return resolveCommit(this.#opened.calls, name);
  }

  gitVersion(): Promise<string> {
    return readGitVersion(this.#opened.calls);
  }

  lookAhead({ branch }: { readonly branch: boolean }): void {
    const { head } = this.#opened;
    this.#begin('reader', this.#reader.startEarly());
    this.#begin('identity', this.identity());
    if (branch) this.#begin('branch', this.defaultBranch());
    if (head !== null) this.#begin(rootsOf(head), this.#listRoots(head));
  }

  async head(): Promise<string | null> {
    const { calls, head, stop } = this.#opened;
    stop.signal.throwIfAborted();
    return head ?? resolveHead(calls);
  }

  defaultBranch(): Promise<{ readonly name: string; readonly commit: string } | null> {
    return this.#begun('branch') ?? findDefaultBranch(this.#opened.calls);
  }

  isShallow(): Promise<boolean> {
    return isShallowClone(this.#opened.located.commonFolder);
  }

  async rootCommits(commit: string): Promise<readonly string[]> {
    if (await this.isShallow()) {
      throw new ColdsealError(
        'PROJECT_AMBIGUOUS',
        'The clone is shallow, so its root commit cannot be told. Run `git fetch --unshallow` first.',
      );
    }
    const { format, stop } = this.#opened;
    return checkRoots(await this.#listRoots(commit), this.#reader, format, stop.signal);
  }

  #listRoots(commit: string): Promise<readonly string[]> {
    return this.#begun(rootsOf(commit)) ?? listRoots(this.#opened.calls, checkObjectName(commit));
  }

  async mergeBase(a: string, b: string): Promise<string | null> {
    const boundaries = await this.#boundaries();
    if (a === b) return checkObjectName(a);
    return findMergeBase(this.#opened.calls, boundaries, checkObjectName(a), checkObjectName(b));
  }

  async firstParent(commit: string): Promise<string | null> {
    return parentsOf(await readCommit(this.#reader, commit, this.#opened.stop.signal))[0] ?? null;
  }

  async countCommits(base: string, head: string): Promise<number> {
    const from = base === this.emptyTree ? null : checkObjectName(base);
    return countBetween(this.#opened.calls, await this.#boundaries(), from, checkObjectName(head));
  }

  async listCommits(base: string | null, head: string): Promise<readonly string[]> {
    const from = base === null ? null : checkObjectName(base);
    return listBetween(this.#opened.calls, await this.#boundaries(), from, checkObjectName(head));
  }

  async commitFiles(commits: readonly string[]): Promise<readonly CommitFiles[]> {
    return readCommitFiles(this.#opened.calls, await this.#boundaries(), commits.map(checkObjectName));
  }

  async commitFacts(commit: string): Promise<CommitFacts> {
    return authorOf(await readCommit(this.#reader, commit, this.#opened.stop.signal));
  }

  async stagedFiles(): Promise<readonly BroughtFile[]> {
    return readStagedFiles(this.#opened.calls, (await this.head()) ?? this.emptyTree);
  }

  async listWorkTree(below: readonly string[]): Promise<readonly Uint8Array[]> {
    return this.workTree === null ? [] : readWorkTreePaths(this.#opened.calls, this.workTree, below);
  }

  async changes(base: string, head: string): Promise<readonly TreeChange[]> {
    const args = ['-r', '-z', '--raw', '--no-abbrev', '--no-renames', '--ignore-submodules=none'];
    return this.#list('diff-tree', [...args, checkObjectName(base), checkObjectName(head), '--'], readChanges());
  }

  async listTree(commit: string, keeps: RowJudge): Promise<readonly TreeEntry[]> {
    return this.#list('ls-tree', ['-r', '-z', '--full-tree', checkObjectName(commit)], readTree(keeps));
  }

  async #list<Row>(verb: string, args: readonly string[], rows: RowReader<Row>): Promise<readonly Row[]> {
    const take = (chunk: Buffer): void => rows.push(chunk);
    await this.#opened.calls.follow('objects', verb, args, { outputBytes: LISTING_BYTES }, take);
    return rows.end();
  }

  async blobSizes(objectIds: readonly string[]): Promise<readonly number[]> {
    if (objectIds.length === 0) return [];
    return this.#reader.blobSizes(objectIds);
  }

  readBlobs(reads: Iterable<BlobRead>, signal: AbortSignal): AsyncIterable<BlobRead> {
    return this.#reader.readInto(reads, signal);
  }

  readBlob(objectId: string, mostBytes: number): Promise<Uint8Array> {
    return this.#reader.readWhole(objectId, 'blob', mostBytes, [this.#opened.stop.signal]);
  }

  diff(
    base: string,
    head: string,
    changes: readonly TreeChange[],
    mostBytes: number,
    signal: AbortSignal,
  ): AsyncIterable<DiffSection> {
    return splitDiff(this.#patch(checkObjectName(base), checkObjectName(head), mostBytes, signal), changes);
  }

  async *#patch(base: string, head: string, mostBytes: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    const child = this.#opened.calls.start('diff-tree', [...DIFF, base, head, '--'], [signal]);
    child.endInput();
    try {
      let bytes = 0;
      for (let chunk = await child.nextChunk(); chunk !== null; chunk = await child.nextChunk()) {
        bytes += chunk.length;
        if (bytes > mostBytes) throw diffTooLarge(mostBytes);
        yield chunk;
      }
      const end = await child.end();
      if (end.status !== 0) throw gitFailure('diff-tree', end, child.stderr);
    } finally {
      await child.close();
    }
  }

  identity(): Promise<{ readonly names: readonly string[]; readonly emails: readonly string[] }> {
    return this.#begun('identity') ?? readIdentity(this.#opened.calls);
  }

  isTracked(path: string): Promise<boolean> {
    return isPathTracked(this.#opened.calls, this.#opened.located.workTree, path);
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      const { stop } = this.#opened;
      // What was begun ahead and nobody asked for.
      stop.abort(new ColdsealError('GIT_FAILED', 'The repository was closed while git was still asked.'));
      await Promise.allSettled(this.#ahead.values());
      await this.#reader.close();
      stop.leave();
      await rm(this.#opened.privateFolder, { recursive: true, force: true });
    })();
    return this.#closed;
  }

  #begin(name: string, work: Promise<unknown>): void {
    this.#ahead.set(name, work);
    // Whoever asks for it is told; until then nobody waits.
    work.catch(() => undefined);
  }

  #begun<T>(name: string): Promise<T> | undefined {
    return this.#ahead.get(name) as Promise<T> | undefined;
  }

  #boundaries(): Promise<readonly string[]> {
    const { located, privateFolder } = this.#opened;
    this.#boundary ??= boundarySwitches(located.commonFolder, privateFolder);
    return this.#boundary;
  }
}

const rootsOf = (commit: string): string => `roots of ${commit}`;

const diffTooLarge = (mostBytes: number): ColdsealError =>
  new ColdsealError(
    'ITEM_TOO_LARGE',
    `The diff is over ${mostBytes} bytes, the most that one item may have. Narrow the range, or raise the cap.`,
    { facts: { limit_bytes: mostBytes } },
  );
