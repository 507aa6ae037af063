/** `coldseal providers list`: the endpoints of the machine file and where each stands. */
import { readSettingsHere } from '../../app/read-settings-here.js';
import { formatTable } from '../tables.js';
import type { VerbAction } from '../verb-context.js';

export const listProviders: VerbAction = async ({ flags, terminal, surroundings }) => {
  const { settings } = await readSettingsHere(surroundings);
  const rows = [...settings.providers.values()].map((provider) => ({
    name: provider.name,
    base_url: provider.endpoint.baseUrl,
    host: provider.endpoint.host,
    remote: provider.endpoint.remote,
    takes_file_reading_helpers: !provider.endpoint.remote || settings.bundledContextProviders.has(provider.name),
    transport: provider.spawn === null ? 'http' : 'spawn',
    key: provider.credential,
    models: provider.models,
  }));
  if (flags.json) {
    await terminal.write(`${JSON.stringify({ providers: rows })}\n`);
    return 0;
  }
  if (rows.length === 0) {
    terminal.say(`coldseal: ${settings.machineFile} configures no provider; \`coldseal init\` writes a first one`);
    return 0;
  }
  const table = rows.map((row) => [
    row.name,
    row.host,
    row.remote ? 'remote' : 'on this machine',
    row.takes_file_reading_helpers ? 'yes' : 'no',
    row.key ?? '-',
    row.models.join(', '),
  ]);
  const heads = ['provider', 'host', 'where', 'file-reading helpers', 'key', 'models'].map((head) => ({ head }));
  await terminal.write(`${formatTable(heads, table, null).join('\n')}\n`);
  return 0;
};
