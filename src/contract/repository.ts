/** The port to a git repository: everything is read as objects, in a private git folder (architecture.md, "Git"). */

export type ObjectFormat = 'sha1' | 'sha256';

/** One row of a raw tree difference, renames off. */
export interface TreeChange {
  readonly status: 'A' | 'M' | 'D' | 'T';
  readonly path: Uint8Array;
  readonly oldMode: string;
  readonly newMode: string;
  /** All zeros where there is no such side. */
  readonly oldId: string;
  readonly newId: string;
}

export interface TreeEntry {
  readonly path: Uint8Array;
  readonly mode: string;
  readonly type: 'blob' | 'commit';
  readonly objectId: string;
}

/**
 * Judges a row while git lists; true keeps it. The row's path is the reader's memory and holds during the call alone, a kept
 * row has memory of its own. What it throws ends the listing.
 */
export type RowJudge = (row: TreeEntry) => boolean;

/** One file's part of a diff, in tree order; the concatenation of all is git's own output. */
export interface DiffSection {
  /** Index into the changes of the same range. */
  readonly change: number;
  readonly bytes: Uint8Array;
}

/** A file that a commit or the index brings: its object is that of no parent at the same path. */
export interface BroughtFile {
  readonly path: Uint8Array;
  readonly mode: string;
  readonly objectId: string;
  /** What stands at the path in each parent that has it. */
  readonly before: readonly string[];
}

export interface CommitFiles {
  readonly commit: string;
  readonly files: readonly BroughtFile[];
}

/** Who wrote a commit, as its object says; empty texts where it does not. */
export interface CommitFacts {
  readonly author: string;
  readonly email: string;
  /** UTC, `2024-01-02T03:04:05Z`. */
  readonly date: string;
}

export interface BlobRead {
  readonly objectId: string;
  readonly size: number;
  /** Where the bytes are put: `size` bytes from the start. Called once, before any byte is read. */
  readonly target: Uint8Array;
  /**
   * Asked now and then with what is there so far; true passes the rest over, and the target beyond it stays as it was. The
   * asker remembers what it said.
   */
  readonly isEnough?: (start: Uint8Array) => boolean;
}

export interface Repository {
  /** Root of the work tree, or `null` when bare. Absolute. */
  readonly workTree: string | null;
  /**
   * The folder that whoever made the repository fills: what holds `.git`, also where its settings say that it is bare, or
   * a bare git folder itself. What must not stand in a checkout must not stand here.
   */
  readonly checkout: string;
  /** The repository's git folder. Absolute. */
  readonly gitFolder: string;
  readonly objectFormat: ObjectFormat;
  readonly emptyTree: string;

  /** As `git version` says it, without its first words. */
  gitVersion(): Promise<string>;
  /**
   * Starts side by side what every bundle asks for: git's settings of the person, HEAD's roots, the child that objects are
   * read through, and with `branch` the default branch. Whoever asks later finds it under way; a fault is told to them.
   */
  lookAhead(parts: { readonly branch: boolean }): void;
  /** Full commit id of a name, or `null` when it names no commit. Names are resolved in the repository itself. */
  resolveCommit(name: string): Promise<string | null>;
  /** Full id of HEAD's commit, the same for as long as this is open; `null` in a repository without one. */
  head(): Promise<string | null>;
  /** `main`, `master` or the target of origin/HEAD, with its commit; `null` when there is none. */
  defaultBranch(): Promise<{ readonly name: string; readonly commit: string } | null>;
  isShallow(): Promise<boolean>;
  /** Root commits of a commit's history, each rehashed and equal to its name. Sorted. */
  rootCommits(commit: string): Promise<readonly string[]>;
  /** `null` when the two have no common commit. */
  mergeBase(a: string, b: string): Promise<string | null>;
  firstParent(commit: string): Promise<string | null>;
  /** Commits in base..head. */
  countCommits(base: string, head: string): Promise<number>;
  /** Commits of `head` that `base` does not have, parents first; all of its history where `base` is `null`. */
  listCommits(base: string | null, head: string): Promise<readonly string[]>;
  /** What each commit brings, in the order asked for; a commit that brings nothing may be left out. */
  commitFiles(commits: readonly string[]): Promise<readonly CommitFiles[]>;
  commitFacts(commit: string): Promise<CommitFacts>;
  /** What the index holds that HEAD does not, bytewise path order; paths in conflict are not staged. */
  stagedFiles(): Promise<readonly BroughtFile[]>;
  /**
   * Paths of files in the work tree, tracked or untracked and not ignored, from its root in bytewise order; below these
   * paths alone where any are named. A path may be a folder (a submodule, a nested repository) or not be there any more.
   */
  listWorkTree(below: readonly string[]): Promise<readonly Uint8Array[]>;
  /** Bytewise path order. `base` may be a commit or a tree. `ITEM_TOO_LARGE` at the first change too many. */
  changes(base: string, head: string): Promise<readonly TreeChange[]>;
  /**
   * Tracked files of a commit that `keeps` wants, bytewise path order, submodules included as `commit` entries. The others
   * are judged one by one and never held.
   */
  listTree(commit: string, keeps: RowJudge): Promise<readonly TreeEntry[]>;
  /** Size in bytes of each blob, in the order asked for. A missing object is `ITEM_UNREADABLE`. */
  blobSizes(objectIds: readonly string[]): Promise<readonly number[]>;
  /** Fills each read's target in order and yields it when whole. Sizes come from `blobSizes`; a difference is an error. */
  readBlobs(reads: Iterable<BlobRead>, signal: AbortSignal): AsyncIterable<BlobRead>;
  /** The bytes of one small blob, refused over `mostBytes`. */
  readBlob(objectId: string, mostBytes: number): Promise<Uint8Array>;
  /** Streams the difference, at most `mostBytes` in all. */
  diff(
    base: string,
    head: string,
    changes: readonly TreeChange[],
    mostBytes: number,
    signal: AbortSignal,
  ): AsyncIterable<DiffSection>;
  /** Every name and e-mail that git's settings give the person, in all files that are in force; reading runs nothing. */
  identity(): Promise<{ readonly names: readonly string[]; readonly emails: readonly string[] }>;
  /** True when the index of the repository tracks this path or something below it. */
  isTracked(path: string): Promise<boolean>;
  /** Ends every child and removes the private git folder. */
  close(): Promise<void>;
}
