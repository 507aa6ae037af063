/**
 * A reading as it is sent: one paragraph of instruction, a blank line, and one JSON document around the parked bundle.
 *
 * No item can reach outside its string, because every string is escaped after it was blanked. `readingStrings` and
 * `frameReading` walk one list, `headOf`, so a string that is framed and not scanned cannot be written here.
 */
import { BUNDLE_WARNING } from '../contract/bundle.js';
import {
  READING_BUNDLE_TYPE,
  READING_DISPATCH_TYPE,
  READING_SCHEMA_VERSION,
  REGIMES,
  type ReadingEnvelope,
  type ReadingPreset,
} from '../contract/reading.js';
import { type BlankPart, blank, type PlacedText } from './blank.js';
import type { BundleText } from './bundle-text.js';
import type { Framed, FramedItem, FrameItem } from './frame.js';
import type { ValueNumbers } from './number-values.js';

/** A string of the document around the items. */
export interface ReadingString {
  readonly value: string;
  /** A hash of ours: exempt from blanking by its place. */
  readonly isOurHash: boolean;
}

/** JSON of ours, or a string whose inside is scanned and blanked. */
type HeadPiece = string | ReadingString;

const scanned = (value: string): HeadPiece => ({ value, isOurHash: false });
const ourHash = (value: string): HeadPiece => ({ value, isOurHash: true });

const member = (name: string, value: HeadPiece): readonly HeadPiece[] => [`${JSON.stringify(name)}:"`, value, '"'];

const list = (name: string, values: readonly string[] | undefined): readonly (readonly HeadPiece[])[] =>
  values === undefined
    ? []
    : [
        [
          `${JSON.stringify(name)}:[`,
          ...values.flatMap((value, at) => [at === 0 ? '"' : ',"', scanned(value), '"']),
          ']',
        ],
      ];

const joined = (members: readonly (readonly HeadPiece[])[]): readonly HeadPiece[] =>
  members.flatMap((one, at) => (at === 0 ? one : [',', ...one]));

const presetOf = ({ kinds, records, location_narrowings: narrowings }: ReadingPreset): readonly HeadPiece[] => [
  '"preset":{',
  ...joined([
    ...list('kinds', kinds),
    ...list('records', records),
    ...(narrowings === undefined ? [] : [[`"location_narrowings":${narrowings}`]]),
  ]),
  '}',
];

/** The document up to its first item, in two parts: before the bundle's value, and from its brace. */
const headOf = (envelope: ReadingEnvelope): readonly [readonly HeadPiece[], readonly HeadPiece[]] => [
  [
    `{"_type":${JSON.stringify(READING_DISPATCH_TYPE)},`,
    ...joined([
      member('run_id', scanned(envelope.runId)),
      member('position', envelope.position),
      member('regime', REGIMES[envelope.position]),
      member('manifest_sha256', ourHash(envelope.manifestSha256)),
      member('definition_sha256', ourHash(envelope.definitionSha256)),
      member('assembler_version', scanned(envelope.assemblerVersion)),
      member('model', scanned(envelope.model)),
    ]),
    ',"bundle":',
  ],
  [
    `{"_type":${JSON.stringify(READING_BUNDLE_TYPE)},"schema_version":${READING_SCHEMA_VERSION},`,
    ...joined([
      member('context_stamp', scanned(envelope.contextStamp)),
      member('position', envelope.position),
      presetOf(envelope.preset),
    ]),
    ',"items":[',
  ],
];

/** Every string around the items that is scanned or exempt, in the order it stands in the document. */
export const readingStrings = (envelope: ReadingEnvelope): readonly ReadingString[] =>
  headOf(envelope)
    .flat()
    .filter((piece): piece is ReadingString => typeof piece !== 'string');

const instructionOf = (envelope: ReadingEnvelope, blankedSpans: number): string =>
  `This is one cold reading at the ${envelope.position} position. The JSON document below is all there is to read; its bundle's items are the material. ` +
  `${BUNDLE_WARNING} ` +
  `Not shown: ${envelope.withheld} withheld, ${envelope.binary} binary, ${blankedSpans} blanked. ` +
  'Answer with one JSON document of type abcd.reading.output/1 and nothing around it; copy run_id, position, regime and manifest_sha256 into its envelope, and definition_sha256, assembler_version and model into its instrument, exactly as they stand below.\n\n';

const itemStart = (id: string): string => `{"item_key":${JSON.stringify(id)},"kind":"`;

/** `head` has one text for each of `readingStrings`, in order; an item's name is its kind. */
export const frameReading = (
  envelope: ReadingEnvelope,
  head: readonly BundleText[],
  items: readonly FrameItem[],
  numbers: ValueNumbers,
): Framed => {
  const spans = items.flatMap(({ name, fields, text }) => [name, ...fields.map((field) => field.text), text]);
  const blankedSpans = [...head, ...spans].reduce((sum, text) => sum + text.spans.length, 0);
  const parts = createParts();
  const strings = head[Symbol.iterator]();
  const putHead = (pieces: readonly HeadPiece[]): void => {
    for (const piece of pieces) {
      if (typeof piece === 'string') parts.put(piece);
      else parts.putText(strings.next().value);
    }
  };
  const [outer, bundle] = headOf(envelope);
  parts.put(instructionOf(envelope, blankedSpans));
  putHead(outer);
  parts.flush();
  const partsBeforeBundle = parts.all.length;
  putHead(bundle);
  for (const [at, item] of items.entries()) {
    parts.put(`${at === 0 ? '' : ','}${itemStart(item.id)}`);
    parts.putText(item.name);
    for (const { name, text } of item.fields) {
      parts.put(`",${JSON.stringify(name)}:"`);
      parts.putText(text);
    }
    parts.put('","text":"');
    parts.putText(item.text);
    parts.put('"}');
  }
  parts.put(']}}');
  parts.flush();
  const { bytes, texts } = blank(parts.all, numbers, roomOf(items));
  const before = blank(parts.all.slice(0, partsBeforeBundle), numbers).bytes.length;
  return {
    message: bytes,
    form: 'json',
    head: texts.slice(0, head.length),
    items: placeItems(items, texts.slice(head.length)),
    // The bundle member's value: without what stands before it and the last brace, which is the document's.
    countedBytes: bytes.length - before - 1,
  };
};

/** The one buffer that all items' texts stand in: written over, it saves a reading from being held twice. */
const roomOf = (items: readonly FrameItem[]): SharedArrayBuffer | null => {
  if (items.some(({ text }) => 'place' in text)) return null;
  const buffers = new Set(items.map(({ text }) => text.bytes.buffer));
  const [room] = buffers;
  return buffers.size === 1 && room instanceof SharedArrayBuffer ? room : null;
};

const placeItems = (items: readonly FrameItem[], texts: readonly PlacedText[]): readonly FramedItem[] => {
  let at = 0;
  return items.map((item) => {
    const [name, ...rest] = texts.slice(at, at + item.fields.length + 2);
    const text = rest.pop();
    at += item.fields.length + 2;
    if (name === undefined || text === undefined) throw new RangeError(`${item.id} has no place`);
    return {
      start: name.place.start - Buffer.byteLength(itemStart(item.id)),
      name,
      namePlace: name.place,
      nameWritten: name.written,
      fields: rest,
      text,
    };
  });
};

/** Collects parts; what is put between two texts is one part. */
const createParts = () => {
  const all: BlankPart[] = [];
  let own = '';
  const flush = (): void => {
    if (own !== '') all.push(Buffer.from(own, 'utf8'));
    own = '';
  };
  return {
    all: all as readonly BlankPart[],
    flush,
    put: (text: string): void => {
      own += text;
    },
    putText: (text: BundleText | undefined): void => {
      if (text === undefined) throw new RangeError('a reading was framed with fewer strings than it has');
      flush();
      all.push({ inJson: text });
    },
  };
};
