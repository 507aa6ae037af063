/** What the plan says: where it would go, what it holds, its text, and the send that accepts nothing but this. */
import { useMemo, useState } from 'preact/hooks';
import { CODES } from '../../contract/codes.js';
import type { OutcomeDocument } from '../../contract/documents.js';
import { printable } from '../../contract/printable.js';
import { showBytes, showCount } from '../../contract/show-amount.js';
import type { RunWords } from '../api/runs.js';
import type { BundleFacts, BundleItem } from '../api/shapes.js';
import { shortRange } from '../show/show-time.js';
import { spansByLine } from '../show/split-marks.js';
import { BundleView } from './bundle-view.js';
import { Digest, FactList } from './fact-list.js';
import { ItemTextPanel } from './item-text.js';
import { Coded } from './notice.js';
import { OutcomeMark } from './outcome-mark.js';
import { SendButton } from './send-button.js';

interface PlanResultWords {
  readonly words: RunWords;
  readonly plan: OutcomeDocument;
}

export const PlanResult = ({ words, plan }: PlanResultWords) => {
  const { bundle, route } = plan;
  const items: readonly BundleItem[] = bundle?.items ?? [];
  const [selected, setSelected] = useState<string | null>(null);
  return (
    <>
      <section class="panel" aria-labelledby="destination-title">
        <header class="panel-head">
          <h2 id="destination-title">{destinationOf(plan)}</h2>
          <OutcomeMark outcome={plan.outcome} />
        </header>
        {plan.code !== undefined && (
          <div class="reason" role="status">
            <p class="reason-title">
              It would be refused: <code class="code">{plan.code}</code> <Coded text={printable(plan.message ?? '')} />
            </p>
            <p>
              <Coded text={CODES[plan.code].wayOut} />
            </p>
          </div>
        )}
        <FactList
          facts={[
            { name: 'Provider', value: route.provider },
            { name: 'Model', value: route.model_asked === null ? null : <code>{printable(route.model_asked)}</code> },
            { name: 'Agent', value: route.agent },
            { name: 'Route set by', value: route.origin === 'none' ? null : route.origin },
            { name: 'As sent', value: bundle === undefined ? null : showBytes(bundle.bytes) },
            {
              name: 'Tokens',
              value: bundle === undefined ? null : `about ${showCount(Math.floor(bundle.bytes / 3.85))}`,
            },
            {
              name: 'Bundle',
              value: bundle === undefined ? null : <Digest digest={bundle.digest} what="the bundle’s digest" />,
            },
            {
              name: 'Approval',
              value:
                bundle?.approval === undefined ? null : <Digest digest={bundle.approval} what="the approval digest" />,
            },
          ]}
        />
        {plan.outcome === 'planned' && bundle?.approval !== undefined && (
          <SendButton words={{ ...words, expect: bundle.approval }} key={bundle.approval} />
        )}
      </section>
      {bundle !== undefined && <BundleView bundle={bundle} onSelect={setSelected} />}
      {bundle !== undefined && items.some(({ text }) => text !== undefined) && (
        <TextSection bundle={bundle} selected={selected} />
      )}
    </>
  );
};

const destinationOf = ({ route }: OutcomeDocument): string => {
  if (route.provider === null) return 'Stays here: the host decides who reads it';
  if (!route.remote) return `Stays on this machine: ${route.provider}`;
  return `Would leave this machine for ${printable(route.host ?? route.provider)}`;
};

interface TextSectionWords {
  readonly bundle: BundleFacts;
  readonly selected: string | null;
}

const TextSection = ({ bundle, selected }: TextSectionWords) => {
  const items = useMemo(() => bundle.items.filter(({ text }) => text !== undefined), [bundle]);
  const [chosen, setChosen] = useState(items[0]?.id ?? '');
  const id = selected ?? chosen;
  const item = items.find((found) => found.id === id);
  const spans = useMemo(() => spansByLine(bundle.blanked, id), [bundle, id]);
  return (
    <section class="panel" aria-labelledby="text-title">
      <header class="panel-head">
        <h2 id="text-title">Text as it would be sent</h2>
        <p class="quiet">Shown for this plan alone, and gone when you leave.</p>
      </header>
      {selected === null ? (
        <label class="field text-choice">
          <span class="field-name">Item</span>
          <select value={id} onChange={(event) => setChosen(event.currentTarget.value)}>
            {items.map((one) => (
              <option key={one.id} value={one.id}>
                {one.id} {printable(nameOf(one))}
              </option>
            ))}
          </select>
        </label>
      ) : (
        item !== undefined && (
          <p class="text-name">
            <code>{id}</code> {printable(nameOf(item))}
          </p>
        )
      )}
      {item?.text === undefined ? (
        <p class="quiet">The text of this item is not here.</p>
      ) : (
        <ItemTextPanel key={id} name={nameOf(item)} text={item.text} spans={spans} />
      )}
    </section>
  );
};

const nameOf = ({ path, label, input }: BundleItem): string =>
  path ?? (label === undefined ? input : `${input} ${shortRange(label)}`);
