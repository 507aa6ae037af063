/**
 * SARIF 2.1.0 (OASIS standard, sections 3.13 to 3.30), as code hosts take it. Rules are listed after the results, in the
 * order they were first met: a member's place in an object says nothing, and nothing has to be held back.
 */
import type { ReportFinding } from '../app/scan/scan-report.js';
import { VERSION } from '../contract/version.js';
import { joinRows } from './join-rows.js';
import type { ReportWriter, UnscannedFile } from './report-writer.js';

const SARIF_SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** A relative reference; every segment is encoded, so a name can hold what it likes. */
const uriOf = (file: string): string => file.split('/').map(encodeURIComponent).join('/');

const artifactOf = (file: string) => ({ uri: uriOf(file), uriBaseId: '%SRCROOT%' });

const levelOf = ({ severity }: ReportFinding): string => (severity === 'block' ? 'error' : 'warning');

interface SarifRule {
  readonly id: string;
  readonly shortDescription: { readonly text: string };
  readonly defaultConfiguration: { readonly level: string };
  readonly properties: { readonly tags: readonly string[] };
}

const ruleOf = (finding: ReportFinding): SarifRule => ({
  id: finding.rule,
  shortDescription: { text: finding.description },
  defaultConfiguration: { level: levelOf(finding) },
  properties: { tags: ['security', finding.kind] },
});

const resultOf = (finding: ReportFinding, ruleIndex: number) => ({
  ruleId: finding.rule,
  ruleIndex,
  level: levelOf(finding),
  message: {
    text: `${finding.kind} found${finding.place === null ? ' in the file’s name' : ''} by rule ${finding.rule}`,
  },
  locations: [
    {
      physicalLocation: {
        artifactLocation: artifactOf(finding.file),
        ...(finding.place === null
          ? {}
          : {
              region: {
                startLine: finding.startLine,
                startColumn: finding.startUnit,
                endLine: finding.endLine,
                endColumn: finding.endUnit,
              },
            }),
      },
    },
  ],
  ...(finding.fingerprint === null ? {} : { partialFingerprints: { 'coldseal/v1': finding.fingerprint } }),
  ...(finding.commit === null
    ? {}
    : {
        properties: {
          commit: finding.commit.id,
          author: finding.commit.author,
          date: finding.commit.date,
        },
      }),
});

const notificationOf = ({ file, reason, detail }: UnscannedFile) => ({
  level: reason === 'binary' || reason === 'repository' || reason === 'special' ? 'note' : 'error',
  message: { text: `not scanned (${reason}): ${detail}` },
  locations: [{ physicalLocation: { artifactLocation: artifactOf(file) } }],
});

export const sarifReport = (): ReportWriter => {
  const rules = new Map<string, { readonly index: number; readonly rule: SarifRule }>();
  const row = (finding: ReportFinding) => {
    const known = rules.get(finding.rule) ?? { index: rules.size, rule: ruleOf(finding) };
    rules.set(finding.rule, known);
    return resultOf(finding, known.index);
  };
  return {
    begin: () => `{"$schema":${JSON.stringify(SARIF_SCHEMA)},"version":"2.1.0","runs":[{"results":[`,
    files: joinRows(row, '\n'),
    end: ({ unscanned, refusal }) => {
      const rest = {
        tool: {
          driver: { name: 'coldseal', semanticVersion: VERSION, rules: [...rules.values()].map(({ rule }) => rule) },
        },
        invocations: [
          {
            executionSuccessful: refusal === null,
            ...(unscanned.length === 0 ? {} : { toolExecutionNotifications: unscanned.map(notificationOf) }),
          },
        ],
        columnKind: 'utf16CodeUnits',
      };
      return `\n],${JSON.stringify(rest).slice(1, -1)}}]}\n`;
    },
  };
};
