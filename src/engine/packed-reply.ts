/**
 * A scan's answer on its way between threads. An input may hold a quarter of a million findings of a few rules; as objects
 * each of them would be written, sent and read with the names of its members and the texts of its rule. Here they are rows
 * of numbers, and the other side makes objects that share their texts.
 */
import type { Finding } from '../contract/finding.js';
import type {
  FindingVoice,
  PackedInput,
  PackedScanReply,
  ScannedInput,
  ScanOutcome,
  ScanReply,
  SecretValue,
  UnscannedInput,
} from '../contract/scan.js';

/** Numbers a finding. */
const COLUMNS = 5;

const voiceKey = ({ ruleId, kind, family, severity, views }: FindingVoice): string =>
  [ruleId, kind, family, severity, ...views].join('\0');

/** Numbers voices as they are met. */
const voiceTable = () => {
  const voices: FindingVoice[] = [];
  const byKey = new Map<string, number>();
  let last: Finding | null = null;
  let lastVoice = 0;
  const numberOf = (finding: Finding): number => {
    if (last !== null && last.ruleId === finding.ruleId && last.views === finding.views) return lastVoice;
    const { ruleId, kind, family, severity, views } = finding;
    const key = voiceKey(finding);
    const voice = byKey.get(key) ?? voices.length;
    if (voice === voices.length) {
      byKey.set(key, voice);
      voices.push({ ruleId, kind, family, severity, views });
    }
    last = finding;
    lastVoice = voice;
    return voice;
  };
  return { voices, numberOf };
};

const isScanned = (outcome: ScanOutcome): outcome is ScannedInput => outcome.ok;

const packed = ({ ref, findings, values, scannedBytes }: ScannedInput): PackedInput => ({
  ref,
  ok: true,
  findings: findings.length,
  values: values.length,
  scannedBytes,
});

export const packReply = ({ outcomes, busyMs }: ScanReply): PackedScanReply => {
  const scanned = outcomes.filter(isScanned);
  const rows = new Int32Array(COLUMNS * scanned.reduce((sum, { findings }) => sum + findings.length, 0));
  const lengths = new Int32Array(scanned.reduce((sum, { values }) => sum + values.length, 0));
  const { voices, numberOf } = voiceTable();
  let row = 0;
  let value = 0;
  let bytes = 0;
  for (const { findings, values } of scanned) {
    for (const finding of findings) {
      rows[row] = finding.start;
      rows[row + 1] = finding.end;
      rows[row + 2] = finding.line;
      rows[row + 3] = finding.valueIndex;
      rows[row + 4] = numberOf(finding);
      row += COLUMNS;
    }
    for (const { bytes: own, echo } of values) {
      lengths[value] = 2 * own.length + Number(echo);
      bytes += own.length;
      value += 1;
    }
  }
  const valueBytes = new Uint8Array(bytes);
  let at = 0;
  for (const { values } of scanned) {
    for (const { bytes: own } of values) {
      valueBytes.set(own, at);
      at += own.length;
    }
  }
  const wire = outcomes.map((outcome): PackedInput | UnscannedInput =>
    isScanned(outcome) ? packed(outcome) : outcome,
  );
  return { outcomes: wire, voices, findings: rows, values: lengths, valueBytes, busyMs };
};

/** The same as it was packed. A number that names no voice is a fault of the thread and throws. */
export const unpackReply = ({ outcomes, voices, findings, values, valueBytes, busyMs }: PackedScanReply): ScanReply => {
  let row = 0;
  let value = 0;
  let at = 0;
  const findingAt = (): Finding => {
    const voice = voices[findings[row + 4] ?? -1];
    if (voice === undefined) throw new RangeError('a scan thread answered with a finding of no rule');
    const { ruleId, kind, family, severity, views } = voice;
    const [start = 0, end = 0, line = 0, valueIndex = 0] = [
      findings[row],
      findings[row + 1],
      findings[row + 2],
      findings[row + 3],
    ];
    row += COLUMNS;
    return { start, end, ruleId, kind, family, severity, line, valueIndex, views };
  };
  const valueAt = (): SecretValue => {
    const length = values[value] ?? 0;
    const start = at;
    at += length >> 1;
    value += 1;
    return { bytes: valueBytes.subarray(start, at), echo: (length & 1) === 1 };
  };
  return {
    outcomes: outcomes.map((outcome): ScanOutcome => {
      if (!outcome.ok) return outcome;
      const { ref, scannedBytes } = outcome;
      const own = Array.from({ length: outcome.findings }, findingAt);
      return { ref, ok: true, findings: own, values: Array.from({ length: outcome.values }, valueAt), scannedBytes };
    }),
    busyMs,
  };
};
