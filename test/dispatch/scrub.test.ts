import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CREDENTIAL_MARK, scrubber } from '../../src/dispatch/scrub.js';
import { madeCredential } from '../support/made-call.js';
import { encodedForms } from '../support/played-call.js';

const secret = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+/=.~!%&<>"\\'),
  minLength: 8,
  maxLength: 60,
});

describe('a credential in what a provider says', { timeout: 60_000 }, () => {
  it('is taken out in every form an encoder gives it, and the text around it stays', () => {
    fc.assert(
      fc.property(secret, fc.nat(100), (value, pick) => {
        const forms = encodedForms(value);
        const form = forms[pick % forms.length] ?? value;
        const said = scrubber([value])(`key (${form}) refused`);
        expect(said).toBe(`key (${CREDENTIAL_MARK}) refused`);
      }),
      { numRuns: 200 },
    );
  });

  it('is found where only some of its letters are escaped', () => {
    const value = `k-${madeCredential()}`;
    const mixed = [...value]
      .map((letter, at) => (at % 3 === 0 ? `%${letter.charCodeAt(0).toString(16)}` : letter))
      .join('');
    const html = [...value].map((letter, at) => (at % 2 === 0 ? `&#${letter.charCodeAt(0)};` : letter)).join('');
    expect(scrubber([value])(`a ${mixed} b ${html} c`)).toBe(`a ${CREDENTIAL_MARK} b ${CREDENTIAL_MARK} c`);
  });

  it('is found where an escaped value has something in it that looks like another escape', () => {
    for (const value of ['a"b%aacdefgh', 'k&lt;b\\u0041cd', '%2525%41"abcd']) {
      for (const form of encodedForms(value)) {
        expect(scrubber([value])(`<${form}>`)).toBe(`<${CREDENTIAL_MARK}>`);
      }
    }
  });

  it('is found with a backslash before its signs, as Markdown writes them', () => {
    expect(scrubber(['sk-live_abc.def'])('key sk\\-live\\_abc\\.def!')).toBe(`key ${CREDENTIAL_MARK}!`);
  });

  it('is found inside the base64 of a header that holds it at any alignment', () => {
    const value = madeCredential();
    for (const before of ['', 'a', 'ab', 'abc', 'Bearer ']) {
      for (const after of ['', 'z', 'zz', '\r\nmore: header']) {
        const said = scrubber([value])(`<${Buffer.from(before + value + after).toString('base64')}>`);
        expect(said).toBe(`<${CREDENTIAL_MARK}>`);
      }
    }
  });

  it('leaves text alone that does not hold it', () => {
    const scrub = scrubber([madeCredential()]);
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => scrub(text) === text));
  });

  it('leaves values of fewer than 8 bytes, which would spoil answers', () => {
    expect(scrubber(['ollama'])('ollama says')).toBe('ollama says');
  });

  it.each([
    ['escapes', '\\u0041%41&#65;'],
    ['backslashes', '\\\\\\\\'],
    ['percent signs', '%25%25'],
    ['ampersands', '&amp;amp;'],
    ['zeros', '&#0000'],
    ['base64', 'QUFB'],
  ])('costs no square of the text where that is a megabyte of %s', (_what, piece) => {
    const text = piece.repeat(1_000_000 / piece.length);
    expect(scrubber([madeCredential(), '%%%%%%%%&&&&\\\\\\\\'])(text)).toBe(text);
  });

  it('costs no square of the text where that is its own base64, over and over', () => {
    const value = 'a'.repeat(12);
    const text = Buffer.from(value.repeat(60_000)).toString('base64');
    expect(scrubber([value])(text)).toBe(CREDENTIAL_MARK);
  });
});
