#!/usr/bin/env node
/**
 * The program. `--version` answers before anything else is loaded; every verb loads only what it runs, so that a cold
 * start stays short; one that scans has its first thread begun before it is loaded itself.
 */
import { VERSION } from '../contract/version.js';
import { scansForSure } from './scans-for-sure.js';

const words = process.argv.slice(2);
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  const ahead = scansForSure(words) ? (await import('../app/scanner-ahead.js')).beginScannerAhead() : null;
  const { runProgram } = await import('./run-program.js');
  process.exitCode = await runProgram(words, ahead);
}
