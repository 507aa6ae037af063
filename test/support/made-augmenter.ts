/**
 * A small program that is spoken to as gitleaks is (`stdin`, a JSON report on standard output) and finds one word. `body`
 * may replace what it does: there `text` is its input, `row` makes a report's row, `say` ends it with a report.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const FINDS = (word: string): string =>
  `const rows = text.split('\\n').flatMap((line, at) => line.includes(${JSON.stringify(word)}) ? [row(${JSON.stringify(word)}, at + 1)] : []); say(rows);`;

export const makeAugmenter = (folder: string, body: string, mode = 0o755): string => {
  const program = join(folder, 'scanner');
  const script = `#!${process.execPath}
const { readFileSync, readdirSync, writeFileSync } = require('node:fs');
const text = readFileSync(0, 'utf8');
const row = (secret, line, more = {}) => ({ RuleID: 'made-up', Description: '', StartLine: line, EndLine: line, StartColumn: 1, EndColumn: 1, Match: secret, Secret: secret, File: '', ...more });
const say = (report) => process.stdout.write(typeof report === 'string' ? report : JSON.stringify(report));
${body}
`;
  writeFileSync(program, script, { mode });
  return program;
};
