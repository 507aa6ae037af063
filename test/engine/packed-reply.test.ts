/** What a thread says arrives as it was said, and findings of one rule share its texts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAMILIES, type Finding } from '../../src/contract/finding.js';
import type { ScanOutcome } from '../../src/contract/scan.js';
import { packReply, unpackReply } from '../../src/engine/packed-reply.js';

const finding: fc.Arbitrary<Finding> = fc.record({
  start: fc.nat(),
  end: fc.nat(),
  line: fc.nat(),
  valueIndex: fc.nat(9),
  ruleId: fc.constantFrom('a', 'b'),
  kind: fc.constantFrom('token:a', 'net:ipv4'),
  family: fc.constantFrom(...FAMILIES),
  severity: fc.constantFrom('block' as const, 'warn' as const),
  views: fc.array(fc.constantFrom('percent', 'base64'), { maxLength: 3 }),
});

const value = fc.record({ bytes: fc.uint8Array({ maxLength: 40 }), echo: fc.boolean() });

const outcome: fc.Arbitrary<ScanOutcome> = fc.oneof(
  fc.record({
    ref: fc.nat(),
    ok: fc.constant(true as const),
    findings: fc.array(finding),
    values: fc.array(value),
    scannedBytes: fc.nat(),
  }),
  fc.record({
    ref: fc.nat(),
    ok: fc.constant(false as const),
    bound: fc.constantFrom('view-time' as const, 'findings' as const),
    detail: fc.string(),
  }),
);

describe('a packed reply', () => {
  it('is the same once it went to another thread and was unpacked', () => {
    fc.assert(
      fc.property(fc.array(outcome), fc.nat(), (outcomes, busyMs) => {
        const reply = { outcomes, busyMs };
        expect(unpackReply(structuredClone(packReply(reply)))).toEqual(reply);
      }),
    );
  });

  it('holds the texts of a rule once, however many findings it has', () => {
    const views = ['percent'];
    const one = { ruleId: 'a', kind: 'token:a', family: 'secret', severity: 'block', views } as const;
    const findings = Array.from({ length: 1000 }, (_, at) => ({
      ...one,
      start: at,
      end: at + 1,
      line: 1,
      valueIndex: 0,
    }));
    const values = [{ bytes: new Uint8Array(3), echo: true }];
    const packed = packReply({ outcomes: [{ ref: 0, ok: true, findings, values, scannedBytes: 1 }], busyMs: 0 });
    expect(packed.voices).toEqual([one]);
    expect(packed.findings).toHaveLength(5000);
  });

  it('that names a rule which is not in it is a fault', () => {
    const findings = new Int32Array([0, 1, 1, 0, 7]);
    const packed = {
      outcomes: [{ ref: 0, ok: true, findings: 1, values: 0, scannedBytes: 1 }],
      voices: [],
      findings,
      values: new Int32Array(0),
      valueBytes: new Uint8Array(0),
      busyMs: 0,
    } as const;
    expect(() => unpackReply(packed)).toThrow('a finding of no rule');
  });
});
