/** From a settled bundle to what may be said of it. */
import { type BundleDescription, describeItem, describeSpans, shownName } from '../bundle/describe-bundle.js';
import { messageDigest } from '../bundle/seal.js';
import type { LoadedItem } from '../contract/item.js';
import type { AssemblyRequest } from './assembly-request.js';
import { framedTexts, type Settled } from './settle-bundle.js';

export const describeSettled = (
  { plan, cap, project }: AssemblyRequest,
  settled: Settled,
  loaded: readonly LoadedItem[],
): BundleDescription => {
  const { framed, system, deleted } = settled;
  return {
    kind: plan.kind,
    listOrigin: plan.listOrigin,
    project,
    range: plan.range,
    items: framed.items.flatMap(({ name, text }, index) => {
      const item = loaded[index];
      return item === undefined ? [] : [describeItem(factsOf(item), name, text)];
    }),
    deleted: deleted.map(shownName),
    deletedBlanked: deleted.flatMap((name, index) => (name.spans.length > 0 ? [index] : [])),
    bytes: framed.countedBytes,
    rawBytes: loaded.reduce((sum, { rawBytes }) => sum + rawBytes, 0),
    cap,
    digest: messageDigest(framed.message),
    blanked: describeSpans([...framedTexts(framed), system]),
    unscannedAtAssembly: plan.reading?.unscanned ?? null,
    // Nothing is sealed with a text that was not scanned to its end.
    scannedNow: plan.reading === undefined ? null : framed.items.length,
  };
};

const factsOf = ({ item, rawBytes, omitted, lossy, encoding }: LoadedItem): Parameters<typeof describeItem>[0] => ({
  id: item.id,
  input: item.input,
  named: item.path !== null ? 'path' : item.label !== null ? 'label' : null,
  objectId: item.origin.kind === 'blob' ? item.origin.objectId : null,
  rawBytes,
  omitted,
  lossy,
  encoding,
});
