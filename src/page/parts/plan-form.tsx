/** What to plan: a repository that the owner lets the service read, a kind of bundle, and what that kind is about. */
import { useState } from 'preact/hooks';
import type { RunWords, ServiceFacts } from '../api/runs.js';

interface PlanFormWords {
  readonly facts: ServiceFacts;
  readonly isBusy: boolean;
  readonly submit: (words: RunWords) => void;
}

type Subject = 'range' | 'question' | 'intent' | 'from' | 'to' | 'dispatch';

const SUBJECTS: Readonly<Record<Subject, { readonly name: string; readonly placeholder: string }>> = {
  range: { name: 'Range', placeholder: 'A..B, or the kind’s default' },
  question: { name: 'Question', placeholder: 'What to find out' },
  intent: { name: 'Intent', placeholder: 'itd-12' },
  from: { name: 'From tag', placeholder: 'v1.2.0' },
  to: { name: 'To', placeholder: 'HEAD' },
  dispatch: { name: 'Parked reading', placeholder: 'rdg-1' },
};

const SUBJECTS_OF: Readonly<Record<string, readonly Subject[]>> = {
  change_review: ['range'],
  source_question: ['question'],
  intent_audit: ['intent', 'range'],
  intent_consistency: ['intent'],
  release_changelog: ['from', 'to'],
  reading: ['dispatch'],
};

const FIRST_KIND = 'change_review';

export const PlanForm = ({ facts, isBusy, submit }: PlanFormWords) => {
  const [repository, setRepository] = useState(facts.repositories[0] ?? '');
  const [kind, setKind] = useState(FIRST_KIND);
  const [typed, setTyped] = useState<Readonly<Partial<Record<Subject, string>>>>({});
  const subjects = SUBJECTS_OF[kind] ?? [];
  const words = (): RunWords => ({
    repository: repository.trim(),
    kind,
    ...Object.fromEntries(
      subjects.map((name) => [name, (typed[name] ?? '').trim()] as const).filter(([, value]) => value !== ''),
    ),
  });
  return (
    <form
      class="panel plan-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit(words());
      }}
    >
      <RepositoryField folders={facts.repositories} value={repository} change={setRepository} />
      <label class="field">
        <span class="field-name">Kind</span>
        <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
          {facts.kinds.map((row) => (
            <option key={row.kind} value={row.kind}>
              {row.kind.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </label>
      {subjects.map((name) => (
        <label class="field" key={name}>
          <span class="field-name">{SUBJECTS[name].name}</span>
          <input
            placeholder={SUBJECTS[name].placeholder}
            spellcheck={false}
            autoComplete="off"
            value={typed[name] ?? ''}
            onInput={(event) => setTyped({ ...typed, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <button type="submit" class="button button-first" disabled={isBusy}>
        {isBusy ? 'Planning…' : 'Plan'}
      </button>
    </form>
  );
};

interface RepositoryFieldWords {
  readonly folders: readonly string[];
  readonly value: string;
  readonly change: (value: string) => void;
}

const RepositoryField = ({ folders, value, change }: RepositoryFieldWords) => (
  <label class="field plan-repository">
    <span class="field-name">Repository</span>
    <input
      required
      list="repositories"
      placeholder="A folder that the service may read"
      spellcheck={false}
      autoComplete="off"
      value={value}
      onInput={(event) => change(event.currentTarget.value)}
    />
    <datalist id="repositories">
      {folders.map((folder) => (
        <option key={folder} value={folder} />
      ))}
    </datalist>
  </label>
);
