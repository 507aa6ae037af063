import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerFile, checkAnswer } from '../../src/dispatch/check-answer.js';

const fence = '```';

describe('an answer of a kind with a JSON contract', () => {
  it.each([
    ['a document', '{"a": 1}', '{"a": 1}'],
    ['blanks around it', ' \n{"a": 1}\n', '{"a": 1}'],
    ['a list', '[1]', '[1]'],
    ['one fence', `${fence}json\n{"a": 1}\n${fence}`, '{"a": 1}'],
    ['one fence without a word', `${fence}\n{"a": 1}\n${fence}\n`, '{"a": 1}'],
    ['a fence with CRLF', `${fence}json\r\n{"a": 1}\r\n${fence}\r\n`, '{"a": 1}'],
    ['a longer fence', `${fence}\`json\n{"a": 1}\n${fence}\``, '{"a": 1}'],
    ['a fence of tildes', '~~~json\n{"a": 1}\n~~~', '{"a": 1}'],
    ['a fence inside a text member', `{"a": "${fence}json\\n{}\\n${fence}"}`, `{"a": "${fence}json\\n{}\\n${fence}"}`],
    ['numbers that a parser would round', '{"a": 12345678901234567890.10}', '{"a": 12345678901234567890.10}'],
  ])('may be %s', (_title, text, document) => {
    expect(checkAnswer(text, 'intent_audit')).toBe(document);
  });

  it.each([
    ['prose', 'It looks fine.'],
    ['prose before the document', 'Here it is:\n{"a": 1}'],
    ['prose after the document', '{"a": 1}\nDone.'],
    ['two documents', '{"a": 1}\n{"b": 2}'],
    ['two fences', `${fence}json\n{"a": 1}\n${fence}\n${fence}json\n{"b": 2}\n${fence}`],
    ['a fence that is not closed', `${fence}json\n{"a": 1}`],
    ['a fence that another one closes', `${fence}json\n{"a": 1}\n~~~`],
    ['a fence in a fence', `${fence}\n${fence}json\n{"a": 1}\n${fence}\n${fence}`],
    ['half a document', '{"a": '],
    ['comments', '{"a": 1 // one\n}'],
    ['nothing', ''],
    ['a fence with nothing in it', `${fence}\n${fence}`],
  ])('may not be %s', (_title, text) => {
    expect(() => checkAnswer(text, 'reading')).toThrow(expect.objectContaining({ code: 'PROVIDER_ANSWER_INVALID' }));
  });

  it('is taken whatever its content, with or without a fence', () => {
    fc.assert(
      fc.property(fc.json(), fc.boolean(), (json, fenced) => {
        expect(checkAnswer(fenced ? `${fence}json\n${json}\n${fence}` : json, 'release_changelog')).toBe(json);
      }),
    );
  });
});

describe('an answer of a kind that takes text', () => {
  it.each(['change_review', 'source_question'] as const)('stays as it came: %s', (kind) => {
    expect(checkAnswer(` ${fence}\nx\n${fence} `, kind)).toBe(` ${fence}\nx\n${fence} `);
  });
});

describe('an answer file', () => {
  it('holds record, bundle and the document as it came', () => {
    const file = answerFile('{"n": 1.00}', 'intent_audit', 'rec-a', 'sha256:b').toString();
    expect(file).toBe('{"record":"rec-a","bundle":"sha256:b","answer":{"n": 1.00}}\n');
  });

  it('holds two lines and an empty one before a text', () => {
    expect(answerFile('fine', 'change_review', 'rec-a', 'sha256:b').toString()).toBe(
      'record: rec-a\nbundle: sha256:b\n\nfine\n',
    );
  });
});
