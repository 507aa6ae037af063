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

  program
    .command('pack')
    .description('write the blanked, capped, framed bundle to standard output; no provider is needed, nothing is sent')
    .argument('[path...]', 'tracked files, folders or globs, read from HEAD')
    .option('--kind <kind>', 'the list of this kind instead (`coldseal kinds`); change_review without PATHs')
    .option('--range <a..b>', 'the commits of a kind that reads some; from the merge base')
    .option('--intent <id>', 'the intent, for the kinds that are about one')
    .option('--from <tag>', 'where a release’s cut starts')
    .option('--to <rev>', 'where it ends')
    .option('--output <file>', 'write the bundle to this file; `-` is standard output')
    .addHelpText(
      'after',
      '\nExample:\n  coldseal pack --range main..HEAD > bundle.txt\n  coldseal pack src docs/guide.md --json',
    )
    .action(wire(async () => (await import('./pack.js')).pack));
};
