import { describe, expect, test } from 'vitest';
import { marksMasker } from '../../src/engine/mask-marks.js';

const mask = marksMasker(new Set(['token:vendor_key', 'pem:private_key']));
const masked = (text: string): string => Buffer.from(mask(Buffer.from(text))).toString();

describe('what is scanned of a mark', () => {
  test('are no words of a kind that the rules have, at any place, with a number or without', () => {
    expect(masked('a [blanked token:vendor_key #1][blanked pem:private_key] b')).toBe(
      'a [blanked _____:__________ #1][blanked ___:___________] b',
    );
  });

  test.each([
    '[blanked token:somebody_elses #1]',
    '[blanked token:vendor_key0123456789 #1]',
    '[blanked  token:vendor_key #1]',
    '[blanked token:vendor_key',
    `[blanked ${'a'.repeat(200)} #1]`,
    'token:vendor_key #1]',
  ])('is everything else, so nothing hides in what looks like one: %s', (text) => {
    expect(masked(text)).toBe(text);
  });

  test('stands in a copy: the text itself is never changed', () => {
    const text = Buffer.from('[blanked token:vendor_key #1]');
    expect(mask(text)).not.toBe(text);
    expect(text.toString()).toBe('[blanked token:vendor_key #1]');
    const clean = Buffer.from('no mark');
    expect(mask(clean)).toBe(clean);
  });
});
