/** Verbs that send a bundle, with the options that each of them takes. */
import { type Command, Option } from 'commander';
import type { Wire } from '../program.js';

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** The options of every sending verb (cli.md, "Verbs that send"). */
const withSendOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--route <agent=target>', 'AGENT=PROVIDER/MODEL or AGENT=host-decides, for this run').argParser(
        collect,
      ),
    )
    .addOption(new Option('--set <name=json>', 'a model setting for this run').argParser(collect))
    .option('--plan', 'everything but the call: what would leave, for where, and whether it would be refused')
    .option('--expect <digest>', 'send only this: the approval digest of --plan, or `bundle:` and the bundle digest')
    .option('--output <file>', 'with --plan the exact framed bundle, else the answer; `-` is stdout')
    .option(
      '--yes',
      'changes nothing: no sending verb asks a question; taken so that scripts written for other tools run',
    );

export const addSendVerbs = (program: Command, wire: Wire): void => {
  withSendOptions(program.command('review'))
    .description('review a range of commits (kind change_review)')
    .option('--range <a..b>', 'the commits to review; from the merge base')
    .option('--brief <file>', 'what to look at, at most 64 KiB; goes into the system message')
    .addHelpText('after', '\nExample:\n  coldseal review --range main..HEAD --plan')
    .action(wire(async () => (await import('./send.js')).review));

  withSendOptions(program.command('ask'))
    .description('ask a question about the files the owner listed (kind source_question)')
    .argument('<question>', 'the question; goes into the system message')
    .addHelpText(
      'after',
      '\nExample:\n  coldseal list set source_question "path:src/**"\n  coldseal ask "Where is the cap judged?" --plan',
    )
    .action(wire(async () => (await import('./send.js')).ask));

  const intent = program.command('intent').description('the intents of the record tree');
  withSendOptions(intent.command('audit'))
    .description('audit what was delivered against a shipped intent (kind intent_audit)')
    .argument('<itd-id>', 'the intent, e.g. itd-12')
    .option('--range <a..b>', 'the delivered commits; from the merge base')
    .addHelpText('after', '\nExample:\n  coldseal intent audit itd-12 --range v1.0..HEAD --plan')
    .action(wire(async () => (await import('./send.js')).auditIntent));
  withSendOptions(intent.command('consistency'))
    .description('compare brief and intents with one another (kind intent_consistency)')
    .argument('[itd-id]', 'compare this intent with everything else')
    .addHelpText('after', '\nExample:\n  coldseal intent consistency --plan')
    .action(wire(async () => (await import('./send.js')).checkConsistency));

  const reading = program.command('reading').description('cold readings: park one, send one');
  reading
    .command('assemble')
    .description('park the items of a reading; sends nothing')
    .requiredOption('--position <position>', 'widening, entailment, comparative or detection')
    .requiredOption('--target <commit>', 'HEAD or a commit id')
    .option('--dry-run', 'report items, bytes and tokens and write nothing')
    .addHelpText('after', '\nExample:\n  coldseal reading assemble --position widening --target HEAD --dry-run')
    .action(wire(async () => (await import('./assemble-reading.js')).assembleReading));
  withSendOptions(reading.command('ingest'))
    .description('send a parked reading to its position (kind reading)')
    .requiredOption('--dispatch <rdg-id>', 'the run, as `reading assemble` printed it')
    .addHelpText('after', '\nExample:\n  coldseal reading ingest --dispatch rdg-2601021504051234 --plan')
    .action(wire(async () => (await import('./send.js')).ingestReading));

  withSendOptions(program.command('release').description('releases').command('changelog'))
    .description('compose the text of a release from its records (kind release_changelog)')
    .requiredOption('--from <tag>', 'the base of the cut')
    .option('--to <rev>', 'its head, HEAD when left out')
    .addHelpText('after', '\nExample:\n  coldseal release changelog --from v1.2.0 --plan')
    .action(wire(async () => (await import('./send.js')).composeChangelog));
};
