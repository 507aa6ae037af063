import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { explainSetting, explainSettings } from '../../src/config/explain-settings.js';
import { readSettingsWithSources } from '../../src/config/read-settings.js';
import { settingsSchema } from '../../src/config/settings-schema.js';
import { madeCredential } from '../support/made-call.js';
import { type MadeHome, makeHome } from './made-home.js';

describe('what explains the settings in force', () => {
  let made: MadeHome;
  beforeEach(() => {
    made = makeHome();
  });
  afterEach(() => made.remove());

  it('names file and line of each value, what is ignored, and the defaults of what is not set', async () => {
    made.write(
      made.machineFile,
      '{\n "oracle": {\n  "theirs": 1,\n  "api": {"acme": {"base_url": "https://api.example.com/",\n   "models": ["m"]}},\n  "bundles": {"cap": "8 MiB"}\n },\n "coldseal": {"queue": {"url": "redis://:hidden@host:1/"}}\n}',
    );
    made.write(made.repositoryFile, '{"oracle": {"roles": {"source-reader": "here/m"},\n"bundles": {"cap": 1}}}');
    const rows = explainSettings(await readSettingsWithSources(made.facts()));
    const shown = rows.map(
      (row) => `${row.key} ${JSON.stringify(row.value)} ${row.origin}:${row.line}${row.ignored ? ' ignored' : ''}`,
    );
    expect(shown).toEqual([
      'oracle.api.acme.base_url "https://api.example.com/" machine:4',
      'oracle.api.acme.models ["m"] machine:5',
      'oracle.bundles.cap "8 MiB" machine:6',
      'coldseal.queue.url "redis://host:1" machine:8',
      'oracle.roles.source-reader "here/m" repository:1',
      'oracle.bundles.cap 1 repository:2 ignored',
      'coldseal.threads 4 default:null',
      'coldseal.in_flight_bytes 67108864 default:null',
      `coldseal.records_dir ${JSON.stringify(`${made.machineFolder}/coldseal/records`)} default:null`,
      'coldseal.providers.acme.timeout 1800 default:null',
      'coldseal.providers.acme.usage_chunk true default:null',
    ]);
    expect(rows.map((row) => row.file)).toContain(made.repositoryFile);
  });

  it('names a program’s variables and shows none of their values', async () => {
    const value = madeCredential();
    const spawn = { program: '/opt/tool', models: ['m'], env: { ACME_KEY: value, REGION: value } };
    made.write(made.machineFile, { coldseal: { providers: { tool: { spawn } } } });
    const rows = explainSettings(await readSettingsWithSources(made.facts()));
    expect(rows.map(({ key }) => key)).toEqual(
      expect.arrayContaining([
        'coldseal.providers.tool.spawn.env.ACME_KEY',
        'coldseal.providers.tool.spawn.env.REGION',
        'coldseal.providers.tool.timeout',
      ]),
    );
    expect(JSON.stringify(rows)).not.toContain(value);
    expect(JSON.stringify(rows)).not.toContain('usage_chunk');
  });

  it('explains one key or everything below it', async () => {
    made.write(made.machineFile, { oracle: { bundles: { cap: 1, withhold: ['a'] } } });
    const read = await readSettingsWithSources(made.facts());
    expect(explainSetting(read, 'oracle.bundles').map((row) => row.key)).toEqual([
      'oracle.bundles.cap',
      'oracle.bundles.withhold',
    ]);
    expect(explainSetting(read, 'oracle.bundles.cap')).toHaveLength(1);
    expect(explainSetting(read, 'oracle.bund')).toEqual([]);
  });

  it('gives a schema of the same members, which refuses unknown ones under what is ours alone', () => {
    const schema = settingsSchema();
    expect(schema).toMatchObject({
      type: 'object',
      additionalProperties: true,
      properties: {
        oracle: {
          additionalProperties: true,
          properties: {
            api: {
              maxProperties: 16,
              additionalProperties: { additionalProperties: false, required: ['base_url', 'models'] },
            },
            bundles: { additionalProperties: false },
          },
        },
        coldseal: { additionalProperties: false, properties: { threads: { type: 'integer', minimum: 1 } } },
      },
    });
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });
});
