/**
 * Number, blank, frame, scan again; where a finding survives, blank once more. Three rounds, then a blocking finding that
 * is still there refuses the run.
 */
import { blank, type PlacedText } from '../bundle/blank.js';
import type { BundleText, KnownSpan } from '../bundle/bundle-text.js';
import { findSurviving, type PlacedSurvivor, placeSurvivors, writtenIn } from '../bundle/find-surviving.js';
import { type Framed, type FrameItem, frameBundle } from '../bundle/frame.js';
import { frameReading } from '../bundle/frame-reading.js';
import { numberValues } from '../bundle/number-values.js';
import type { BlankedBytes } from '../contract/bundle.js';
import { ColdsealError } from '../contract/error.js';
import type { ItemPlan, LoadedItem } from '../contract/item.js';
import { withSpans } from './known-spans.js';
import { type TextLayout, textLayout } from './list-texts.js';
import type { Rescanned } from './rescan-bundle.js';

export interface Settled {
  readonly framed: Framed;
  readonly system: PlacedText;
  readonly systemBytes: BlankedBytes;
  readonly deleted: readonly PlacedText[];
  /** All of them in the order they were given (`TextLayout`). */
  readonly texts: readonly PlacedText[];
}

export interface SettlingSteps {
  readonly rescan: (settled: Settled) => Promise<Rescanned>;
  /** Adds the echoes of values that were not known before. */
  readonly echo: (texts: readonly BundleText[], found: readonly KnownSpan[]) => Promise<readonly BundleText[]>;
}

const ROUNDS = 3;

/** `items` in list order, as loaded. */
export const settleBundle = async (
  plan: ItemPlan,
  texts: readonly BundleText[],
  items: readonly LoadedItem[],
  steps: SettlingSteps,
): Promise<Settled> => {
  const layout = textLayout(plan);
  let settled = layOut(plan, layout, texts, items);
  for (let round = 1; ; round += 1) {
    const surviving = await survivorsOf(settled, layout, steps);
    if (surviving.all.length === 0) return settled;
    if (round > ROUNDS || surviving.placed.size === 0) {
      refuseBlocking(surviving.all);
      return settled;
    }
    const more = settled.texts.map((text, ref) => withSpans(text, surviving.placed.get(ref) ?? []));
    settled = layOut(plan, layout, await steps.echo(more, [...surviving.placed.values()].flat()), items);
  }
};

const layOut = (
  plan: ItemPlan,
  layout: TextLayout,
  texts: readonly BundleText[],
  items: readonly LoadedItem[],
): Settled => {
  const numbers = numberValues(texts);
  const listed = frameItems(layout, texts, items);
  const framed =
    plan.reading === undefined
      ? frameBundle(listed, numbers)
      : frameReading(plan.reading, texts.slice(0, layout.headCount), listed, numbers);
  const { bytes: systemBytes, texts: systemTexts } = blank(
    texts.slice(layout.systemRef, layout.systemRef + 1),
    numbers,
  );
  const [system] = systemTexts;
  if (system === undefined) throw new ColdsealError('INTERNAL', 'the system message is missing');
  const deleted = blank(texts.slice(layout.systemRef + 1), numbers).texts;
  return { framed, system, systemBytes, deleted, texts: [...framedTexts(framed), system, ...deleted] };
};

/** Every text of the message in its order. */
export const framedTexts = ({ head, items }: Framed): readonly PlacedText[] => [
  ...head,
  ...items.flatMap(({ name, fields, text }) => [name, ...fields, text]),
];

const frameItems = (
  layout: TextLayout,
  texts: readonly BundleText[],
  items: readonly LoadedItem[],
): readonly FrameItem[] =>
  items.map(({ item, omitted }, index) => {
    const ref = layout.nameRef(index);
    const name = texts[ref];
    const text = texts[layout.textRef(index)];
    if (name === undefined || text === undefined) throw new ColdsealError('INTERNAL', `${item.id} has no text`);
    const fields = (item.fields ?? []).flatMap(({ name: member }, at) => {
      const field = texts[ref + 1 + at];
      return field === undefined ? [] : [{ name: member, text: field }];
    });
    return { id: item.id, input: item.input, omitted, name, fields, text };
  });

interface Survivors {
  readonly all: readonly { readonly item: string; readonly span: KnownSpan }[];
  /** By the text's place in the list. */
  readonly placed: ReadonlyMap<number, readonly KnownSpan[]>;
}

const refOf = (layout: TextLayout, { part, itemIndex, fieldIndex }: PlacedSurvivor): number => {
  switch (part) {
    case 'head':
      return fieldIndex;
    case 'name':
      return layout.nameRef(itemIndex);
    case 'field':
      return layout.nameRef(itemIndex) + 1 + fieldIndex;
    case 'text':
      return layout.textRef(itemIndex);
    default:
      return part satisfies never;
  }
};

const survivorsOf = async (settled: Settled, layout: TextLayout, steps: SettlingSteps): Promise<Survivors> => {
  const { framed, system } = settled;
  const found = await steps.rescan(settled);
  const inMessage = findSurviving(found.message, writtenIn(framed));
  const inSystem = findSurviving(found.system, system.spans);
  const placed = new Map<number, KnownSpan[]>();
  const put = (ref: number, span: KnownSpan): void => {
    const spans = placed.get(ref);
    if (spans === undefined) placed.set(ref, [span]);
    else spans.push(span);
  };
  for (const survivor of placeSurvivors(framed, inMessage)) put(refOf(layout, survivor), survivor.span);
  for (const span of inSystem) put(layout.systemRef, span);
  return {
    all: [
      ...inMessage.map((span) => ({ item: itemAt(framed, span.start), span })),
      ...inSystem.map((span) => ({ item: 'system', span })),
    ],
    placed,
  };
};

const itemAt = ({ items }: Framed, offset: number): string =>
  items.find(({ text }) => offset < text.place.end)?.text.item ?? 'frame';

const refuseBlocking = (all: Survivors['all']): void => {
  const blocking = all.find(({ span }) => span.severity === 'block');
  if (blocking === undefined) return;
  const { item, span } = blocking;
  throw new ColdsealError(
    'FINDING_SURVIVES',
    `rule ${span.ruleId} still finds a ${span.kind} at ${item} after ${ROUNDS} rounds of blanking. ` +
      'An owner’s rule that hits the frame’s own lines is the usual cause: `coldseal rules explain ID` shows the rule.',
    { facts: { rule: span.ruleId, item, rounds: ROUNDS } },
  );
};
