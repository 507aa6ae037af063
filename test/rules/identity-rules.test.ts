/** The owner's own names, in the forms they stand in files. */
import { describe, expect, it } from 'vitest';
import type { IdentityInputs } from '../../src/contract/rule.js';
import { findWithRule } from '../../src/rules/find-with-rule.js';
import { identityRules } from '../../src/rules/identity-rules.js';

const INPUTS: IdentityInputs = {
  homePaths: ['/home/zelda', 'C:\\Users\\Zelda Fitz'],
  userNames: ['zelda', 'root', 'ci', 'xy'],
  personNames: ['Zelda Fitz'],
  emails: ['zelda.fitz@mail.test', 'noreply@example.com'],
};

const foundIn = (text: string): string[] => {
  const bytes = Buffer.from(text);
  return identityRules(INPUTS).flatMap((rule) =>
    findWithRule(rule)(bytes).map(({ start, end }) => `${rule.kind}=${bytes.subarray(start, end).toString()}`),
  );
};

describe('identityRules', () => {
  it.each<[string, string]>([
    ['at /home/zelda/src/x.ts', 'identity:home_path=/home/zelda'],
    ['cd /home/zelda', 'identity:home_path=/home/zelda'],
    ['C:\\\\Users\\\\Zelda Fitz\\\\x', 'identity:home_path=C:\\\\Users\\\\Zelda Fitz'],
    ['user: zelda,', 'identity:user_name=zelda'],
    ['Author: Zelda Fitz <x>', 'identity:person_name=Zelda Fitz'],
    ['by zelda.fitz', 'identity:person_name=zelda.fitz'],
    ['Fitz, Zelda', 'identity:person_name=Fitz, Zelda'],
    ['<ZELDA.FITZ@mail.test>', 'identity:email=ZELDA.FITZ@mail.test'],
  ])('finds the owner in %s', (text, expected) => {
    expect(foundIn(text)).toContain(expected);
  });

  it.each(['root', 'the ci job', 'xy', 'zeldas', 'grizelda', '/home/zeldafan/x', 'noreply@example.com'])(
    'finds nobody in %s',
    (text) => {
      expect(foundIn(text)).toEqual([]);
    },
  );

  it('gives the same rules whatever the order of the inputs', () => {
    const turned: IdentityInputs = { ...INPUTS, userNames: [...INPUTS.userNames].reverse() };
    expect(identityRules(turned)).toEqual(identityRules(INPUTS));
  });

  it('treats every character of a name as itself', () => {
    const rules = identityRules({ homePaths: [], userNames: ['a.b+c'], personNames: [], emails: [] });
    expect(rules.map((rule) => findWithRule(rule)(Buffer.from('axb+c a.b+c')).length)).toEqual([1]);
  });
});
