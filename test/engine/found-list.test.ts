/** What was found in an input is answered once each, equal values once, in memory that nothing else lies in. */
import { describe, expect, it } from 'vitest';
import { openFoundList } from '../../src/engine/found-list.js';

const RULE = { id: 'a-rule', kind: 'token:a', family: 'secret', severity: 'block' } as const;
const OTHER = { ...RULE, id: 'another-rule' };
const TEXT = Buffer.from('one two one\none \xff\xfe', 'latin1');

const at = (start: number, end: number, echo = false) => ({ text: TEXT, start, end, echo });

describe('a list of findings', () => {
  it('keeps equal values once, and a value that echoes apart from one that does not', () => {
    const list = openFoundList();
    for (const start of [8, 0, 12]) list.note(RULE, { start, end: start + 3 }, [], at(start, start + 3));
    list.note(OTHER, { start: 0, end: 3 }, [], at(0, 3, true));
    const { findings, values } = list.settle(TEXT);
    expect(values).toHaveLength(2);
    const told = findings.map(({ start, ruleId, line, valueIndex }) => [start, ruleId, line, values[valueIndex]?.echo]);
    expect(told).toEqual([
      [0, 'a-rule', 1, false],
      [0, 'another-rule', 1, true],
      [8, 'a-rule', 1, false],
      [12, 'a-rule', 2, false],
    ]);
  });

  it('leaves out what a view finds where the rule found it before', () => {
    const list = openFoundList();
    list.note(RULE, { start: 0, end: 3 }, [], at(0, 3));
    for (const rule of [RULE, OTHER, OTHER]) list.note(rule, { start: 0, end: 3 }, ['percent'], at(0, 3));
    const { findings } = list.settle(TEXT);
    expect(findings.map(({ ruleId, views }) => [ruleId, views.length])).toEqual([
      ['a-rule', 0],
      ['another-rule', 1],
    ]);
  });

  it('gives each value’s bytes as they stand, in memory that holds the values and nothing else', () => {
    const list = openFoundList();
    list.note(RULE, { start: 16, end: 18 }, [], at(16, 18, true));
    list.note(RULE, { start: 4, end: 7 }, [], at(4, 7));
    const { findings, values } = list.settle(TEXT);
    const bytesOf = (index: number) => Buffer.from(values[findings[index]?.valueIndex ?? -1]?.bytes ?? []);
    expect(bytesOf(0).toString('latin1')).toBe('two');
    expect(bytesOf(1).toString('latin1')).toBe('\xff\xfe');
    for (const { bytes } of values) expect(bytes.buffer.byteLength).toBe(5);
  });

  it('is full with one finding more than it may have, and takes no more of them', () => {
    const list = openFoundList(2);
    for (const start of [0, 4]) list.note(RULE, { start, end: start + 3 }, [], at(start, start + 3));
    expect(list.isFull).toBe(false);
    for (const start of [8, 12]) list.note(RULE, { start, end: start + 3 }, [], at(start, start + 3));
    expect(list.isFull).toBe(true);
    expect(list.settle(TEXT).findings).toHaveLength(2);
  });
});
