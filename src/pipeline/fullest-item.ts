/** Which item tells most of a bundle's different secrets: the one to withhold where there are too many to look for. */
import type { BundleText } from '../bundle/bundle-text.js';
import type { NamedText } from './scan-texts.js';

export interface FullestItem extends NamedText {
  /** Different values of severity `block` that stand in it. */
  readonly secrets: number;
}

/** Of texts with their spans; a name that holds a finding is not shown. `null` where nothing was found. */
export const fullestItem = (texts: readonly BundleText[]): FullestItem | null => {
  const values = new Map<string, Set<number>>();
  for (const { item, spans } of texts) {
    for (const { severity, valueId } of spans) {
      if (severity !== 'block') continue;
      const own = values.get(item) ?? new Set();
      values.set(item, own.add(valueId));
    }
  }
  let fullest: FullestItem | null = null;
  for (const [item, { size }] of values) {
    if (size > (fullest?.secrets ?? 0)) fullest = { item, shown: item, secrets: size };
  }
  const name = texts.find(({ item, part }) => item === fullest?.item && part === 'name');
  if (fullest === null || name === undefined || name.spans.length > 0) return fullest;
  return { ...fullest, shown: `${fullest.item} ${Buffer.from(name.bytes).toString('utf8')}`.trimEnd() };
};
