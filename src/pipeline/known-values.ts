/**
 * The values of one assembly: which ones were told as secrets, and which of those may be looked for elsewhere. In memory
 * only, for as long as the bundle is being blanked.
 */
import type { KnownSpan } from '../bundle/bundle-text.js';
import { createValueTable } from '../bundle/value-table.js';
import { ColdsealError } from '../contract/error.js';
import { MOST_KNOWN_VALUES } from '../contract/item-bounds.js';
import type { SecretValue } from '../contract/scan.js';
import { type KnownValue, SHORTEST_CREDENTIAL_BYTES } from './assembly-request.js';
import { addToldValues, type ToldValue } from './echo-values.js';
import type { FullestItem } from './fullest-item.js';

export interface KnownValues {
  /** Equal bytes, equal id; in order of first asking. */
  idOf(value: SecretValue): number;
  /** Learns from one text's spans; texts are told in list order. */
  tell(spans: readonly KnownSpan[]): void;
  /**
   * Values told since this was last asked, credentials among the first. `fullest` names the item to withhold, where there
   * are items.
   * @throws ColdsealError `SCAN_FAILED` when there are more than can be looked for at once
   */
  takeNew(fullest?: () => FullestItem | null): readonly ToldValue[];
}

export const createKnownValues = (credentials: readonly KnownValue[]): KnownValues => {
  const table = createValueTable();
  const echoable = new Map<number, Uint8Array>();
  const told = new Map<number, ToldValue>();
  let taken = 0;
  for (const { name, bytes } of credentials) {
    const valueId = table.idOf(bytes);
    if (bytes.length < SHORTEST_CREDENTIAL_BYTES || told.has(valueId)) continue;
    told.set(valueId, { bytes, teller: { ...CREDENTIAL, ruleId: `credential:${name}`, valueId } });
  }
  return {
    idOf: ({ bytes, echo }) => {
      const id = table.idOf(bytes);
      if (echo) echoable.set(id, bytes);
      return id;
    },
    tell: (spans) => addToldValues(told, spans, (id) => echoable.get(id)),
    takeNew: (fullest = () => null) => {
      if (told.size > MOST_KNOWN_VALUES) throw tooMany(told.size, fullest());
      const fresh = [...told.values()].slice(taken);
      taken = told.size;
      return fresh;
    },
  };
};

const tooMany = (count: number, fullest: FullestItem | null): ColdsealError => {
  const limit = MOST_KNOWN_VALUES;
  const what = `${count} different secrets were found, more than the ${limit} whose other places can be looked for at once (known-values)`;
  const wayOut =
    fullest === null
      ? '. Split the text into parts with fewer each.'
      : `; ${fullest.secrets} of them stand in ${fullest.shown}. Withhold it with \`coldseal withhold add GLOB\`, or narrow the list.`;
  const facts = { item: fullest?.item ?? null, bound: 'known-values', limit };
  return new ColdsealError('SCAN_FAILED', `${what}${wayOut}`, { facts });
};

const CREDENTIAL = { kind: 'token:credential', family: 'secret', severity: 'block' } as const;
