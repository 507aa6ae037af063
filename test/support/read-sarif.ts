/**
 * The part of SARIF 2.1.0 that a scan writes, strict: required members, closed objects and bounds are those of the
 * standard's own JSON schema (sarif-schema-2.1.0.json, definitions run, tool, result, region, notification, invocation).
 */
import { z } from 'zod';

const message = z.strictObject({ text: z.string() });
const level = z.enum(['none', 'note', 'warning', 'error']);
const region = z.strictObject({
  startLine: z.int().min(1),
  startColumn: z.int().min(1),
  endLine: z.int().min(1),
  endColumn: z.int().min(1),
});
const location = z.strictObject({
  physicalLocation: z.strictObject({
    artifactLocation: z.strictObject({
      // A relative reference of RFC 3986: nothing in it needs escaping any more.
      uri: z.string().regex(/^(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*$/),
      uriBaseId: z.string(),
    }),
    region: region.optional(),
  }),
});
const result = z.strictObject({
  ruleId: z.string(),
  ruleIndex: z.int().min(0),
  level,
  message,
  locations: z.array(location),
  partialFingerprints: z.record(z.string(), z.string()).optional(),
  properties: z.looseObject({ tags: z.array(z.string()).optional() }).optional(),
});
const rule = z.strictObject({
  id: z.string(),
  shortDescription: message,
  defaultConfiguration: z.strictObject({ level }),
  properties: z.looseObject({ tags: z.array(z.string()) }),
});
const notification = z.strictObject({ level, message, locations: z.array(location) });
const run = z.strictObject({
  tool: z.strictObject({
    driver: z.strictObject({ name: z.string().min(1), semanticVersion: z.string(), rules: z.array(rule) }),
  }),
  results: z.array(result),
  invocations: z.array(
    z.strictObject({ executionSuccessful: z.boolean(), toolExecutionNotifications: z.array(notification).optional() }),
  ),
  columnKind: z.enum(['utf16CodeUnits', 'unicodeCodePoints']),
});

const log = z.strictObject({ $schema: z.url(), version: z.literal('2.1.0'), runs: z.array(run) });

/** The one run of a log; throws naming every place where the text is no SARIF. */
export const readSarif = (text: string): z.infer<typeof run> => {
  const [only] = log.parse(JSON.parse(text)).runs;
  if (only === undefined) throw new Error('the log has no run');
  return only;
};
