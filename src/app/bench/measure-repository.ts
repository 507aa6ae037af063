/**
 * One repository through the pipeline, as `pack .` takes it: every tracked file of HEAD, withheld ones in their place,
 * scanned, blanked, framed, scanned again, sealed. Nothing is sent and nothing is recorded. What would not fit one bundle
 * goes through as several; the cap is only judged, so that a repository over it is measured as well.
 */
import { chooseCap } from '../../admission/choose-bundle-limits.js';
import { type Cap, LARGEST_CAP_BYTES, type SealedBundle } from '../../contract/bundle.js';
import { ColdsealError } from '../../contract/error.js';
import type { ItemPlan, PreparedItem } from '../../contract/item.js';
import { mostItemBytes } from '../../contract/item-bounds.js';
import type { PathMatch } from '../../contract/path-glob.js';
import { assembleBundle } from '../../pipeline/assemble-bundle.js';
import { planBundle } from '../../plan/plan-bundle.js';
import { type ProjectOfRun, projectOf } from '../choose-project.js';
import type { Place } from '../open-place.js';
import { packedPaths } from '../pack-paths.js';
import { assemblyOf, repositoryRunPlan, withheldPaths } from '../prepare-run.js';
import { type OwnersRules, ownersRules } from '../scan-profile.js';
import type { Surroundings } from '../surroundings.js';
import type { MeasuredRepository, RoundFigures } from './bench-document.js';
import type { BusyScanner } from './busy-scanner.js';
import { type SizedItem, splitParts } from './split-parts.js';

/** Its list is the owner's own, which is what PATHs are. */
const KIND = 'source_question';
/** Far over what is measured here: nothing is cut short. */
const MEASURED_CAP: Cap = { bytes: LARGEST_CAP_BYTES, origin: 'machine', key: 'oracle.bundles.cap' };
/** Blanking may lengthen an item; half of the largest cap leaves room. */
const LARGEST_MEASURED_BYTES = LARGEST_CAP_BYTES / 2;

export interface RepositoryBench {
  readonly surroundings: Surroundings;
  readonly place: Place;
  readonly scanner: BusyScanner;
  /** As it was typed. */
  readonly name: string;
  readonly rounds: number;
}

interface Listed {
  readonly project: ProjectOfRun;
  readonly owners: OwnersRules;
  readonly cap: Cap;
  readonly parts: readonly (readonly PreparedItem[])[];
  readonly isWithheld: PathMatch;
  readonly tooLarge: number;
}

/** What a round came to. */
class RoundAccount {
  items = 0;
  rawBytes = 0;
  sealedBytes = 0;
  withheld = 0;
  binary = 0;
  spans = 0;
  blankedItems = 0;
  scanMs = 0;
  sealMs = 0;
  readonly byKind = new Map<string, number>();

  add(bundle: SealedBundle): void {
    this.items += bundle.items.length;
    this.rawBytes += bundle.rawBytes;
    this.sealedBytes += bundle.bytes;
    this.withheld += bundle.items.filter(({ omitted }) => omitted === 'withheld').length;
    this.binary += bundle.items.filter(({ omitted }) => omitted === 'binary').length;
    this.spans += bundle.blanked.length;
    this.blankedItems += new Set(bundle.blanked.map(({ item }) => item)).size;
    for (const { kind } of bundle.blanked) this.byKind.set(kind, (this.byKind.get(kind) ?? 0) + 1);
  }
}

const listItems = async ({ surroundings, place }: RepositoryBench): Promise<Listed> => {
  const { repository, settings } = place;
  const project = await projectOf(place);
  const cap = chooseCap(settings.bundles, project);
  const byPath = withheldPaths({ settings }, KIND, project);
  // In as many parts as it takes, so any number of files is fine.
  const { items, isWithheld } = await packedPaths(repository, surroundings.folder, ['.'], byPath, () => undefined);
  const ids = [...new Set(items.flatMap(({ origin }) => (origin.kind === 'blob' ? [origin.objectId] : [])))];
  const sizes = await repository.blobSizes(ids);
  const sizeOf = new Map(ids.map((id, at) => [id, sizes[at] ?? 0]));
  const sized = items.map((item): SizedItem<PreparedItem> & { readonly isRead: boolean } => {
    const isRead = item.path === null || !isWithheld(item.path);
    const bytes = item.origin.kind === 'blob' ? (sizeOf.get(item.origin.objectId) ?? 0) : (item.rawBytes ?? 0);
    return { item, bytes: isRead ? bytes : 0, isRead };
  });
  const limit = Math.min(mostItemBytes(cap.bytes), LARGEST_MEASURED_BYTES);
  const kept = sized.filter(({ bytes }) => bytes <= limit);
  return {
    project,
    owners: await ownersRules(settings.own),
    cap,
    parts: splitParts(kept),
    isWithheld,
    tooLarge: sized.length - kept.length,
  };
};

const planPart = ({ place }: RepositoryBench, listed: Listed, part: readonly PreparedItem[]): Promise<ItemPlan> =>
  planBundle({
    kind: KIND,
    entries: [{ kind: 'input', input: 'path' }],
    listOrigin: 'owner',
    range: null,
    repository: place.repository,
    prepared: new Map([['path', part]]),
    isWithheld: listed.isWithheld,
    capBytes: MEASURED_CAP.bytes,
  });

const measureRound = async (
  bench: RepositoryBench,
): Promise<{ readonly figures: RoundFigures; readonly account: RoundAccount; readonly listed: Listed }> => {
  const { surroundings, place, scanner } = bench;
  const { monotonicMs } = surroundings;
  const account = new RoundAccount();
  scanner.takeBusyMs();
  const begunMs = monotonicMs();
  const listed = await listItems(bench);
  let planMs = monotonicMs() - begunMs;
  for (const part of listed.parts) {
    const plannedMs = monotonicMs();
    const plan = await planPart(bench, listed, part);
    planMs += monotonicMs() - plannedMs;
    const assembled = await assembleBundle(
      await assemblyOf({
        surroundings,
        place,
        words: { kind: KIND, plan: false },
        project: listed.project,
        runPlan: repositoryRunPlan(place.repository, MEASURED_CAP, plan),
        scanner,
        owners: listed.owners,
        system: new Uint8Array(0),
        observe: () => undefined,
      }),
    );
    if (assembled.kind !== 'sealed') throw assembled.refusal;
    account.add(assembled.bundle);
    account.scanMs += assembled.figures.scanMs;
    account.sealMs += assembled.figures.sealMs;
  }
  const figures = {
    wall_ms: tenths(monotonicMs() - begunMs),
    plan_ms: tenths(planMs),
    scan_ms: tenths(account.scanMs),
    seal_ms: tenths(account.sealMs),
    busy_ms: tenths(scanner.takeBusyMs()),
  };
  return { figures, account, listed };
};

const tenths = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

const medianRound = (rounds: readonly RoundFigures[]): RoundFigures => {
  const sorted = [...rounds].sort((a, b) => a.wall_ms - b.wall_ms);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new ColdsealError('INTERNAL', 'a benchmark ran no round');
  return middle;
};

const capOutcome = ({ cap, tooLarge }: Listed, sealedBytes: number): MeasuredRepository['cap'] => ({
  bytes: cap.bytes,
  origin: cap.origin,
  share: sealedBytes / cap.bytes,
  outcome: tooLarge > 0 ? 'ITEM_TOO_LARGE' : sealedBytes > cap.bytes ? 'OVER_CAP' : 'fits',
});

/** Rejects with whatever would refuse a bundle of it, but for its size, and with the signal's reason. */
export const measureRepository = async (bench: RepositoryBench): Promise<MeasuredRepository> => {
  const rounds: RoundFigures[] = [];
  let last = await measureRound(bench);
  rounds.push(last.figures);
  while (rounds.length < bench.rounds) {
    last = await measureRound(bench);
    rounds.push(last.figures);
  }
  const { account, listed } = last;
  const median = medianRound(rounds);
  return {
    outcome: 'measured',
    name: bench.name,
    head: (await bench.place.repository.head()) ?? '',
    items: account.items,
    bundles: listed.parts.length,
    raw_bytes: account.rawBytes,
    sealed_bytes: account.sealedBytes,
    rounds,
    megabytes_per_second: account.rawBytes / 1000 / median.wall_ms,
    scan_share: median.scan_ms / median.wall_ms,
    threads_use: median.busy_ms / (median.wall_ms * bench.scanner.threads),
    peak_rss_bytes: process.resourceUsage().maxRSS * 1024,
    blanked: {
      spans: account.spans,
      items: account.blankedItems,
      by_kind: Object.fromEntries([...account.byKind].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))),
    },
    omitted: { withheld: account.withheld, binary: account.binary, too_large: listed.tooLarge },
    cap: capOutcome(listed, account.sealedBytes),
  };
};
