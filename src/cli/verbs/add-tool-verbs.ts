/** Verbs that look at the tool itself: codes, rules, kinds, the sandbox, shell completion. */
import type { Command } from 'commander';
import type { Wire } from '../program.js';

export const addToolVerbs = (program: Command, wire: Wire): void => {
  program
    .command('explain')
    .description('say what a code is and what changes it')
    .argument('[code]', 'a refusal or failure code; every code when left out')
    .addHelpText('after', '\nExample:\n  coldseal explain OVER_CAP')
    .action(wire(async () => (await import('./explain.js')).explain));

  program
    .command('kinds')
    .description('list the kinds of bundle, their agents and inputs')
    .addHelpText('after', '\nExample:\n  coldseal kinds --json')
    .action(wire(async () => (await import('./kinds.js')).kinds));

  const rules = program.command('rules').description('the scanner’s rules');
  rules
    .command('list')
    .description('list every rule')
    .addHelpText('after', '\nExample:\n  coldseal rules list --json')
    .action(wire(async () => (await import('./rules.js')).listRules));
  rules
    .command('check')
    .description('test every rule against its own examples')
    .addHelpText('after', '\nExample:\n  coldseal rules check')
    .action(wire(async () => (await import('./rules.js')).checkRules));
  rules
    .command('explain')
    .description('say what one rule looks for')
    .argument('<id>', 'a rule’s id')
    .addHelpText('after', '\nExample:\n  coldseal rules explain github-pat')
    .action(wire(async () => (await import('./rules.js')).explainRule));

  program
    .command('sandbox')
    .description('run an OpenAI-compatible provider on loopback to try the whole remote path without an account')
    .option('--script <file>', 'play the scripted answers of this JSON file')
    .option('--port <number>', 'listen on this port instead of a free one')
    .option('--write-fragment <file>', 'also write the machine-file fragment to this file')
    .option('--keep-bodies <folder>', 'write each body that is received to this folder')
    .addHelpText('after', '\nExample:\n  coldseal sandbox')
    .action(wire(async () => (await import('./sandbox.js')).sandbox));

  program
    .command('serve')
    .description('serve all of it over HTTP on this machine, with metrics')
    .option('--listen <address>', '127.0.0.1:PORT, or unix: and the path of a socket')
    .option('--runs <number>', 'at most this many runs at once (64)')
    .option('--queue <url>', 'let workers run what is dispatched: redis:// or rediss:// of the queue')
    .option('--grace <seconds>', 'how long runs may go on when the service is told to end (30)')
    .addHelpText('after', '\nExample:\n  coldseal serve --listen 127.0.0.1:8787')
    .action(wire(async () => (await import('./serve.js')).serve));

  program
    .command('doctor')
    .description('check what a run stands on: programs, files, keys, providers, records; says what to do')
    .addHelpText('after', '\nExample:\n  coldseal doctor')
    .action(wire(async () => (await import('./doctor.js')).doctor));

  program
    .command('demo')
    .description('show the whole way on a made-up repository with planted secrets; leaves nothing behind')
    .addHelpText('after', '\nExample:\n  coldseal demo')
    .action(wire(async () => (await import('./demo.js')).demo));

  program
    .command('bench')
    .description('measure repositories through the whole pipeline: speed, threads, memory, what is blanked, the cap')
    .argument('[repo...]', 'folders of repositories; the one of the run when left out')
    .option('--rounds <number>', 'times that each is measured; the median counts (3)')
    .option('--threads <number>', 'scan threads of this run instead of those of the machine file')
    .option('--compare <file>', 'say what changed since the run that `bench --json` wrote to this file')
    .option('--html <file>', 'also write a page with charts that needs nothing else')
    .addHelpText(
      'after',
      '\nExample:\n  coldseal bench ~/src/linux --json > before.json\n  coldseal bench ~/src/linux --compare before.json --html bench.html',
    )
    .action(wire(async () => (await import('./bench.js')).bench));

  program
    .command('completion')
    .description('print a completion script')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText('after', '\nExample:\n  source <(coldseal completion bash)')
    .action(wire(async () => (await import('./completion.js')).completionFor(program)));
};
