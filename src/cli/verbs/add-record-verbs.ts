/** Verbs that read the record. */
import type { Command } from 'commander';
import type { Wire } from '../program.js';

export const addRecordVerbs = (program: Command, wire: Wire): void => {
  const records = program
    .command('records')
    .description('what went, what was blanked, what came back, or why it was refused');
  records
    .command('list')
    .description('list the runs, the newest last')
    .option('--limit <number>', 'at most this many of the newest')
    .addHelpText('after', '\nExample:\n  coldseal records list --limit 20')
    .action(wire(async () => (await import('./records.js')).listRuns));
  records
    .command('show')
    .description('show one run whole')
    .argument('<id>', 'the record’s id, or `last`')
    .addHelpText('after', '\nExample:\n  coldseal records show last --json')
    .action(wire(async () => (await import('./records.js')).showRun));
  records
    .command('verify')
    .description('check the chain of every row; with an id also make that run’s bundle again from the repository here')
    .argument('[id]', 'the record’s id, or `last`: answers same, differs, or cannot be rebuilt and what is missing')
    .addHelpText('after', '\nExample:\n  coldseal records verify\n  coldseal records verify last -C ~/project')
    .action(wire(async () => (await import('./records.js')).verifyRecords));
  records
    .command('export')
    .description('write every row as JSON lines')
    .addHelpText('after', '\nExample:\n  coldseal records export > records.jsonl')
    .action(wire(async () => (await import('./records.js')).exportRows));

  program
    .command('metrics')
    .description('the record store’s figures as Prometheus text, for a textfile collector')
    .addHelpText('after', '\nExample:\n  coldseal metrics > coldseal.prom')
    .action(wire(async () => (await import('./metrics.js')).metrics));
};
