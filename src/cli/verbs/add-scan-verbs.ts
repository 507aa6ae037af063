/** Verbs that scan without sending. */
import type { Command } from 'commander';
import type { Wire } from '../program.js';

export const addScanVerbs = (program: Command, wire: Wire): void => {
  program
    .command('scan')
    .description('look for secrets in the work tree, a folder, git objects or standard input; values are never shown')
    .argument('[path...]', 'files and folders; `-` is standard input; without one the whole work tree')
    .option('--staged', 'what the index holds beyond HEAD: findings on new lines')
    .option('--range <a..b>', 'what each commit of B beyond A brings: findings on new lines')
    .option('--commit <rev>', 'what one commit brings: findings on new lines')
    .option('--format <format>', 'text, json (with the member names of gitleaks), sarif or html')
    .option('--fail-on-findings', 'end with 4 when something was found')
    .option('--exit-code <number>', 'end with this number when something was found')
    .option('--binary', 'scan files that are no text, too')
    .option('--stdin-name <name>', 'what standard input is called in the report')
    .option('--blank', 'write standard input to standard output with every finding blanked')
    .option(
      '--ndjson',
      'answer JSON lines {id, text} with {id, text, findings}, the text blanked, until the input ends',
    )
    .addHelpText(
      'after',
      '\nExample:\n  coldseal scan\n  coldseal scan --staged --fail-on-findings\n  coldseal scan --blank < app.log > app.blanked.log',
    )
    .action(wire(async () => (await import('./scan.js')).scan));
};
