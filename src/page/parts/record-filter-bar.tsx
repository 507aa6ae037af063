/** Search and filters of the record list. A choice acts at once; the search when it is entered or typing has paused. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { CODES } from '../../contract/codes.js';
import { KINDS } from '../../contract/item.js';
import type { RecordFilters } from '../api/records.js';
import { OUTCOMES } from '../show/count-runs.js';
import { OUTCOME_WORDS } from './outcome-mark.js';

interface FilterWords {
  readonly filters: RecordFilters;
  readonly change: (next: RecordFilters) => void;
}

const PAUSE_MS = 350;

export const RecordFilterBar = ({ filters, change }: FilterWords) => {
  const set = (name: keyof RecordFilters) => (value: string) => change({ ...filters, [name]: value });
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()} aria-label="Filter the records">
      <SearchField value={filters.q} change={set('q')} />
      <Choice name="Kind" value={filters.kind} words={kindWords} change={set('kind')} />
      <Choice name="Outcome" value={filters.outcome} words={outcomeWords} change={set('outcome')} />
      <Choice name="Code" value={filters.code} words={codeWords} change={set('code')} />
      <DayField name="From" value={filters.from} change={set('from')} />
      <DayField name="To" value={filters.to} change={set('to')} />
    </form>
  );
};

const kindWords = [...KINDS, 'gate'].map((kind) => [kind, kind.replaceAll('_', ' ')] as const);
const outcomeWords = OUTCOMES.map((outcome) => [outcome, OUTCOME_WORDS[outcome] ?? outcome] as const);
const codeWords = Object.keys(CODES).map((code) => [code, code] as const);

interface FieldWords {
  readonly value: string;
  readonly change: (value: string) => void;
}

const SearchField = ({ value, change }: FieldWords) => {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    setTyped(value);
    return () => clearTimeout(timer.current);
  }, [value]);
  return (
    <label class="field filter-search">
      <span class="field-name">Search</span>
      <input
        type="search"
        placeholder="Record, provider, model, agent, project"
        value={typed}
        onInput={(event) => {
          const next = event.currentTarget.value;
          setTyped(next);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => change(next.trim()), PAUSE_MS);
        }}
      />
    </label>
  );
};

interface ChoiceWords extends FieldWords {
  readonly name: string;
  readonly words: readonly (readonly [string, string])[];
}

const Choice = ({ name, value, words, change }: ChoiceWords) => (
  <label class="field">
    <span class="field-name">{name}</span>
    <select value={value} onChange={(event) => change(event.currentTarget.value)}>
      <option value="">Any</option>
      {words.map(([word, shown]) => (
        <option key={word} value={word}>
          {shown}
        </option>
      ))}
    </select>
  </label>
);

const DayField = ({ name, value, change }: FieldWords & { readonly name: string }) => (
  <label class="field">
    <span class="field-name">{name}</span>
    <input type="date" value={value} onChange={(event) => change(event.currentTarget.value)} />
  </label>
);
