/**
 * A repository with a record tree: a brief, intents in every folder, two closed specs of one intent, issues, tags and a
 * branch with a delivered range. The same on every machine.
 */
import { type MadeRepository, makeRepository } from './make-repository.js';

export const INTENTS = '.abcd/development/intents';
export const SPECS = '.abcd/development/specs';
export const BRIEF = '.abcd/development/brief';
export const ISSUES = '.abcd/work/issues';

export const CRITERIA = '- Given a file, when it is sent, then its secrets are blanked.\n- Given a cap, then it holds.';

const fields = (values: Readonly<Record<string, string>>): string =>
  `---\n${Object.entries(values)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')}---\n\n`;

export const shippedIntent = `${fields({ id: 'itd-7', slug: 'send-safely', spec_id: 'spc-2', kind: 'feature', impact: 'additive' })}# Send safely

Opening words.

## Press Release

> Files leave blanked.
> Nothing else does.

## Why

Because.

## What’s In Scope

- blanking

## Scope Conditions

- one machine

## Acceptance Criteria

${CRITERIA}

## Audit Notes

Nothing yet.
`;

export interface RecordRepository extends MadeRepository {
  /** First commit of the delivered range's base, and its head. */
  readonly base: string;
  readonly head: string;
}

export const makeRecordRepository = (): RecordRepository => {
  const made = makeRepository();
  const base = made.commit('records', {
    'src/send.ts': 'export const send = 1;\n',
    [`${BRIEF}/01-what.md`]: '# What\n\nA sender.\n',
    [`${BRIEF}/parts/02-how.md`]: '# How\n\nWith care.\n',
    [`${BRIEF}/_template.md`]: '# Template\n',
    [`${INTENTS}/drafts/itd-10-later.md`]: `${fields({ id: 'itd-10', slug: 'later' })}# Later\n\n## Decisions\n\nNone.\n\n## Why\n\nNot told.\n`,
    [`${INTENTS}/planned/itd-9-next.md`]: `${fields({ id: 'itd-9', slug: 'next' })}# Next\n\n## The Rule\n\nOne at a time.\n\n### Detail\n\nKept.\n\n## Acceptance Criteria\n\n- hidden\n`,
    [`${INTENTS}/superseded/itd-1-old.md`]: `${fields({ id: 'itd-1', slug: 'old' })}# Old\n\n## Decisions\n\nGone.\n`,
    [`${INTENTS}/shipped/itd-3-first.md`]: `${fields({ id: 'itd-3', slug: 'first', impact: 'fix' })}# First\n\nIt works.\n`,
    [`${ISSUES}/resolved/iss-4-crash.md`]: `${fields({ id: 'iss-4', slug: 'crash', impact: 'fix', resolution: '"It no longer ends early."' })}The crash.\n`,
    [`${ISSUES}/open/iss-5-slow.md`]: `${fields({ id: 'iss-5', slug: 'slow' })}Slow.\n`,
  });
  made.git(['tag', 'v0.3.1']);
  made.git(['checkout', '-q', '-b', 'deliver']);
  made.remove(`${ISSUES}/resolved/iss-4-crash.md`);
  const head = made.commit('deliver', {
    'src/send.ts': 'export const send = 2;\n',
    [`${INTENTS}/shipped/itd-7-send-safely.md`]: shippedIntent,
    [`${SPECS}/closed/spc-10-second.md`]: `${fields({ id: 'spc-10', intent: 'itd-7' })}# Second\n`,
    [`${SPECS}/closed/spc-2-first.md`]: `${fields({ id: 'spc-2', intent: '[itd-7, itd-8]' })}# First\n`,
    [`${SPECS}/closed/spc-3-other.md`]: `${fields({ id: 'spc-3', intent: 'itd-3' })}# Other\n`,
    [`${SPECS}/open/spc-11-open.md`]: `${fields({ id: 'spc-11', intent: 'itd-7' })}# Open\n`,
    [`${ISSUES}/resolved/iss-5-slow.md`]: `${fields({ id: 'iss-5', slug: 'slow', impact: 'internal' })}# Slow\n\nFaster now.\n`,
  });
  return { ...made, base, head };
};
