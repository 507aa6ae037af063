/** Verbs that read the owner's settings. */
import type { Command } from 'commander';
import type { Wire } from '../program.js';

export const addSettingsVerbs = (program: Command, wire: Wire): void => {
  const config = program.command('config').description('the settings in force and where each comes from');
  config
    .command('show')
    .description('show the settings in force here')
    .addHelpText('after', '\nExample:\n  coldseal config show')
    .action(wire(async () => (await import('./config.js')).showConfig));
  config
    .command('explain')
    .description('say what one key does and where its value comes from')
    .argument('<key>', 'a dotted key, e.g. oracle.bundles.cap')
    .addHelpText('after', '\nExample:\n  coldseal config explain oracle.bundles.cap')
    .action(wire(async () => (await import('./config.js')).explainKey));
  config
    .command('check')
    .description('read both files and say every problem')
    .addHelpText('after', '\nExample:\n  coldseal config check')
    .action(wire(async () => (await import('./config.js')).checkConfig));
  config
    .command('schema')
    .description('print the JSON schema of the machine file')
    .addHelpText('after', '\nExample:\n  coldseal config schema > machine-file.schema.json')
    .action(wire(async () => (await import('./config.js')).printSchema));
  config
    .command('path')
    .description('print the machine file’s path')
    .addHelpText('after', '\nExample:\n  coldseal config path')
    .action(wire(async () => (await import('./config.js')).printPath));

  program
    .command('project')
    .description('show this project’s roots, the entry that matches, the cap and the lists in force')
    .addHelpText('after', '\nExample:\n  coldseal project')
    .action(wire(async () => (await import('./settings.js')).showProject));

  const providers = program.command('providers').description('the endpoints that the machine file configures');
  providers
    .command('list')
    .description('list them with where each stands: remote or on this machine')
    .addHelpText('after', '\nExample:\n  coldseal providers list')
    .action(wire(async () => (await import('./providers.js')).listProviders));
  providers
    .command('test')
    .description('reach one: connection, TLS and its list of models, with its key and without any text of yours')
    .argument('<name>', 'a provider of `coldseal providers list`')
    .addHelpText('after', '\nExample:\n  coldseal providers test default')
    .action(wire(async () => (await import('./test-provider.js')).testProvider));
  providers
    .command('approve')
    .description('accept a provider as it is configured now; shows what changed since it was last consented to')
    .argument('<name>', 'a provider of `coldseal providers list`')
    .addHelpText('after', '\nExample:\n  coldseal providers approve default')
    .action(wire(async () => (await import('./approve-provider.js')).approveProvider));
};
