/** Verbs that read and write the owner's settings. Only verbs typed by a person write the machine file. */
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
    .command('init')
    .description('write the first machine file: one provider that may take file-reading helpers')
    .option('--provider <name>', 'a name for the provider', 'default')
    .requiredOption('--base-url <url>', 'the endpoint, up to but without /chat/completions')
    .requiredOption('--model <model>', 'the model')
    .option('--key-env <variable>', 'the environment variable that holds the key')
    .addHelpText(
      'after',
      '\nExample:\n  coldseal init --base-url https://api.example.com/v1 --model large-1 --key-env EXAMPLE_API_KEY',
    )
    .action(wire(async () => (await import('./settings.js')).init));
  program
    .command('cap')
    .description('set the largest bundle, for this machine or this project')
    .argument('<size>', 'bytes, or a number with B, KB, KiB, MB, MiB, GB or GiB')
    .option('--project', 'for this project alone')
    .addHelpText('after', '\nExample:\n  coldseal cap 8MiB --project')
    .action(wire(async () => (await import('./settings.js')).setCap));
  program
    .command('list')
    .description('the lists of what a kind’s bundle carries')
    .command('set')
    .description('replace a kind’s list for this project')
    .argument('<kind>', 'a kind of `coldseal kinds`')
    .argument('<entry...>', 'inputs of that kind, or path:GLOB')
    .addHelpText('after', '\nExample:\n  coldseal list set change_review diff "path:docs/*.md"')
    .action(wire(async () => (await import('./settings.js')).setList));
  program
    .command('withhold')
    .description('what never travels from this project')
    .command('add')
    .description('withhold files by a glob')
    .argument('<glob>', 'without a slash it matches the base name at any depth')
    .option('--machine', 'for every project of this machine')
    .addHelpText('after', '\nExample:\n  coldseal withhold add package-lock.json')
    .action(wire(async () => (await import('./settings.js')).addWithhold));
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
