/**
 * Prometheus text as figures for charts. Only what our own service writes is understood: `name{label="value"} number`;
 * comments and lines of another shape are passed over.
 */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** How many observations fell into each bucket, not summed up. */
export interface Histogram {
  readonly buckets: readonly { readonly upTo: number; readonly count: number }[];
  readonly count: number;
  readonly sum: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

export const readMetrics = (text: string): readonly Sample[] =>
  text.split('\n').flatMap((line) => {
    const found = LINE.exec(line);
    if (found?.[1] === undefined || found[3] === undefined) return [];
    return [{ name: found[1], labels: labelsOf(found[2] ?? ''), value: numberOf(found[3]) }];
  });

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };

const labelsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [
      name,
      value.replace(/\\(.)/g, (whole, sign: string) => ESCAPES[sign] ?? whole),
    ]),
  );

const numberOf = (text: string): number => {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  return text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);
};

/** One figure by the words of one label, largest first; zeros are left out. */
export const countsBy = (
  samples: readonly Sample[],
  name: string,
  label: string,
): readonly { readonly word: string; readonly count: number }[] => {
  const sums = new Map<string, number>();
  for (const sample of samples) {
    if (sample.name !== name) continue;
    const word = sample.labels[label] ?? '';
    sums.set(word, (sums.get(word) ?? 0) + sample.value);
  }
  return [...sums]
    .filter(([, count]) => count > 0)
    .map(([word, count]) => ({ word, count }))
    .sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1));
};

/** The sum over every series of this name; `null` where there is none. */
export const totalOf = (samples: readonly Sample[], name: string): number | null => {
  const values = samples.filter((sample) => sample.name === name).map(({ value }) => value);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
};

/** `null` where nothing was observed. */
export const histogramOf = (samples: readonly Sample[], name: string): Histogram | null => {
  const count = totalOf(samples, `${name}_count`) ?? 0;
  if (count === 0) return null;
  let below = 0;
  const buckets = samples
    .filter((sample) => sample.name === `${name}_bucket`)
    .map(({ labels, value }) => ({ upTo: numberOf(labels['le'] ?? ''), total: value }))
    .sort((a, b) => a.upTo - b.upTo)
    .map(({ upTo, total }) => {
      const own = total - below;
      below = total;
      return { upTo, count: own };
    });
  return { buckets, count, sum: totalOf(samples, `${name}_sum`) ?? 0 };
};

/** The bound under which this share of the observations lies, as a bucket's upper bound. */
export const boundOf = ({ buckets, count }: Histogram, share: number): number => {
  let below = 0;
  for (const bucket of buckets) {
    below += bucket.count;
    if (below >= count * share) return bucket.upTo;
  }
  return Number.POSITIVE_INFINITY;
};
