/**
 * From what was typed to a range of full commit ids, resolved once. A range starts at the merge base: what came into
 * A since is no work of B's and is not shown as if B had taken it back.
 */
import { ColdsealError } from '../contract/error.js';
import { type CommitRange, KIND_INPUTS, type KindName } from '../contract/item.js';
import { printable } from '../contract/printable.js';
import type { Repository } from '../contract/repository.js';
import { AGENT_KINDS } from '../contract/route.js';

export interface RangeRequest {
  readonly repository: Repository;
  /** As typed after `--range`, or `null` for the kind's default. */
  readonly typed: string | null;
  readonly kind: KindName;
}

/** Whether a bundle of this kind is about a range of commits. */
export const readsRange = (kind: KindName): boolean => KIND_INPUTS[kind].some((input) => input === 'diff');

/** `null` for a kind that reads no range. `NO_RANGE`, or `USAGE` for words that are no range. */
export const resolveRange = async (request: RangeRequest): Promise<CommitRange | null> => {
  const { repository, typed, kind } = request;
  if (!readsRange(kind)) {
    if (typed === null) return null;
    throw new ColdsealError('USAGE', `A bundle of kind ${kind} reads no range of commits; leave \`--range\` out.`);
  }
  return typed === null ? defaultRange(repository, kind) : typedRange(repository, kind, typed);
};

/** Every refusal names the way out that needs no range. */
const noRange = (kind: KindName, why: string): ColdsealError => {
  const agent = Object.entries(AGENT_KINDS).find(([, kinds]) => kinds.some((name) => name === kind))?.[0] ?? kind;
  return new ColdsealError(
    'NO_RANGE',
    `${kind} needs a range of commits and there is none: ${why}. Name one with \`--range A..B\`, or hand the work to the host with \`--route ${agent}=host-decides\`.`,
  );
};

const parseRange = (typed: string): readonly [string, string] => {
  const at = typed.indexOf('..');
  const from = typed.slice(0, at);
  const to = typed.slice(at + 2);
  if (at < 0 || to.startsWith('.') || to.includes('..') || (from === '' && to === '')) {
    throw new ColdsealError(
      'USAGE',
      `"${printable(typed)}" is no range. Write \`A..B\`: it starts where the two parted, so three dots are not needed.`,
    );
  }
  return [from === '' ? 'HEAD' : from, to === '' ? 'HEAD' : to];
};

const typedRange = async (repository: Repository, kind: KindName, typed: string): Promise<CommitRange> => {
  const [from, to] = parseRange(typed);
  const resolved = async (name: string): Promise<string> => {
    const commit = await repository.resolveCommit(name);
    if (commit === null) {
      const hint = (await repository.isShallow())
        ? `, which is a shallow clone (\`${UNSHALLOW}\` brings the rest)`
        : '';
      throw noRange(kind, `"${printable(name)}" names no commit of this repository${hint}`);
    }
    return commit;
  };
  const start = await resolved(from);
  const head = await resolved(to);
  const base = await repository.mergeBase(start, head);
  if (base === null) throw noRange(kind, `${printable(from)} and ${printable(to)} have no commit in common`);
  if (base === head) throw noRange(kind, `${printable(to)} has no commit beyond ${printable(from)}`);
  return { base, head };
};

const defaultRange = async (repository: Repository, kind: KindName): Promise<CommitRange> => {
  const head = await repository.head();
  if (head === null) throw noRange(kind, 'the repository has no commit yet');
  const branch = await repository.defaultBranch();
  const reviewsLastCommit = kind === 'change_review';
  if (branch === null) {
    if (reviewsLastCommit) return lastCommit(repository, head);
    throw noRange(kind, 'no default branch was found (the target of origin/HEAD, main or master)');
  }
  const base = await repository.mergeBase(branch.commit, head);
  if (base === null)
    throw noRange(kind, `HEAD and the default branch ${printable(branch.name)} have no commit in common`);
  if (base !== head) return { base, head };
  if (reviewsLastCommit) return lastCommit(repository, head);
  throw noRange(kind, `HEAD has no commit beyond the default branch ${printable(branch.name)}`);
};

const lastCommit = async (repository: Repository, head: string): Promise<CommitRange> => {
  const base = (await repository.firstParent(head)) ?? repository.emptyTree;
  if (base !== repository.emptyTree && (await repository.isShallow())) await requireFetched(repository, base);
  return { base, head };
};

const UNSHALLOW = 'git fetch --unshallow';

/** A shallow clone ends at commits whose parents are named and not there. */
const requireFetched = async (repository: Repository, commit: string): Promise<void> => {
  if ((await repository.resolveCommit(commit)) !== null) return;
  throw new ColdsealError(
    'ITEM_UNREADABLE',
    `The last commit's parent ${commit} is not in this shallow clone. Nothing is fetched here: run \`${UNSHALLOW}\`.`,
    { facts: { commit } },
  );
};
