/** Verbs that scan without sending. */
import type { Command } from 'commander';
import type { Wire } from '../program.js';

export const addScanVerbs = (program: Command, wire: Wire): void => {
  program
    .command('scan')
    .description('look for secrets in the work tree, a folder, git objects or standard input; values are never shown')
    .argument('[path...]', 'files and folders; `-` is standard input; without one the whole work tree')
    .option(
      '--ndjson',
      'answer JSON lines {id, text} with {id, text, findings}, the text blanked, until the input ends',
    )
    .option('--blank', 'write standard input to standard output with every finding blanked')
    .option('--stdin-name <name>', 'what standard input is called in the report')
    .addHelpText(
      'after',
      '\nExample:\n  coldseal scan\n  coldseal scan --staged --fail-on-findings\n  coldseal scan --blank < app.log > app.blanked.log',
    )
    .action(wire(async () => (await import('./scan.js')).scan));
};
