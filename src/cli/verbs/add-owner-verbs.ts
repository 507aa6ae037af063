/** Verbs that write the machine file, each with its view and its way back. A person types them; nothing else writes there. */
import type { Command } from 'commander';
import type { Wire } from '../program.js';

export const addOwnerVerbs = (program: Command, wire: Wire): void => {
  program
    .command('init')
    .description('write the first machine file: one provider that may take file-reading helpers')
    .option('--provider <name>', 'a name for the provider', 'default')
    .option('--base-url <url>', 'the endpoint, up to but without /chat/completions; asked for when left out')
    .option('--model <model>', 'the model; asked for when left out')
    .option('--key-env <variable>', 'the environment variable that holds the key; none for a provider without one')
    .addHelpText(
      'after',
      '\nExample:\n  coldseal init\n  coldseal init --base-url https://api.example.com/v1 --model large-1 --key-env EXAMPLE_API_KEY',
    )
    .action(wire(async () => (await import('./settings.js')).init));

  program
    .command('cap')
    .description('show or set the largest bundle, for this machine or this project')
    .argument('[size]', 'bytes, or a number with B, KB, KiB, MB, MiB, GB or GiB; without it the cap in force is shown')
    .option('--project', 'for this project alone')
    .option('--unset', 'take it back: the machine’s cap, or the default of 4 MiB, is in force again')
    .addHelpText('after', '\nExample:\n  coldseal cap\n  coldseal cap 8MiB --project\n  coldseal cap --unset --project')
    .action(wire(async () => (await import('./owner-limits.js')).cap));

  addListVerbs(program.command('list').description('the lists of what a kind’s bundle carries'), wire);
  addWithholdVerbs(program.command('withhold').description('what never travels'), wire);
  addAllowVerbs(program.command('allow').description('findings that are let through, by their fingerprints'), wire);
};

const addListVerbs = (lists: Command, wire: Wire): void => {
  lists
    .command('set')
    .description('replace a kind’s list for this project')
    .argument('<kind>', 'a kind of `coldseal kinds`')
    .argument('<entry...>', 'inputs of that kind, or path:GLOB')
    .addHelpText('after', '\nExample:\n  coldseal list set change_review diff "path:docs/*.md"')
    .action(wire(async () => (await import('./owner-limits.js')).setList));
  lists
    .command('show')
    .description('show the lists in force for this project')
    .argument('[kind]', 'a kind of `coldseal kinds`; every kind when left out')
    .addHelpText('after', '\nExample:\n  coldseal list show change_review')
    .action(wire(async () => (await import('./owner-limits.js')).showLists));
  lists
    .command('unset')
    .description('take a kind’s list for this project back: the compiled one is in force again')
    .argument('<kind>', 'a kind of `coldseal kinds`')
    .addHelpText('after', '\nExample:\n  coldseal list unset change_review')
    .action(wire(async () => (await import('./owner-limits.js')).unsetList));
};

const addWithholdVerbs = (withhold: Command, wire: Wire): void => {
  withhold
    .command('add')
    .description('withhold files of this project by a glob')
    .argument('<glob>', 'without a slash it matches the base name at any depth')
    .option('--machine', 'for every project of this machine')
    .addHelpText('after', '\nExample:\n  coldseal withhold add package-lock.json')
    .action(wire(async () => (await import('./owner-limits.js')).addWithhold));
  withhold
    .command('list')
    .description('list every glob in force here: the project’s, the machine’s and the compiled ones')
    .addHelpText('after', '\nExample:\n  coldseal withhold list')
    .action(wire(async () => (await import('./owner-limits.js')).listWithheld));
  withhold
    .command('remove')
    .description('take one of the owner’s globs back; the compiled ones stay')
    .argument('<glob>', 'as `coldseal withhold list` shows it')
    .option('--machine', 'one that holds for every project of this machine')
    .addHelpText('after', '\nExample:\n  coldseal withhold remove package-lock.json')
    .action(wire(async () => (await import('./owner-limits.js')).removeWithhold));
};

const addAllowVerbs = (allow: Command, wire: Wire): void => {
  allow
    .command('list')
    .description('list what is allowed, with its reasons')
    .addHelpText('after', '\nExample:\n  coldseal allow list')
    .action(wire(async () => (await import('./allow.js')).listAllow));
  allow
    .command('add')
    .description('let one value under one rule through, everywhere on this machine')
    .argument('<fingerprint>', 'as `coldseal scan --format json` prints it')
    .requiredOption('--reason <text>', 'why it may leave')
    .addHelpText('after', '\nExample:\n  coldseal allow add fp-1a2b… --reason "the public test key"')
    .action(wire(async () => (await import('./allow.js')).addAllow));
  allow
    .command('remove')
    .description('blank it again')
    .argument('<fingerprint>', 'as `coldseal allow list` shows it')
    .addHelpText('after', '\nExample:\n  coldseal allow remove fp-1a2b…')
    .action(wire(async () => (await import('./allow.js')).removeAllow));
};
