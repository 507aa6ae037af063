#!/usr/bin/env node
/**
 * The program. `--version` answers before anything else is loaded; every verb loads only what it runs, so that a cold
 * start stays short; one that scans has its first thread begun before it is loaded itself.
 */
import { VERSION } from '../contract/version.js';
import { machineFault } from './machine-fault.js';
import { scansForSure } from './scans-for-sure.js';

const words = process.argv.slice(2);
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  try {
    const ahead = scansForSure(words) ? (await import('../app/scanner-ahead.js')).beginScannerAhead() : null;
    const { runProgram } = await import('./run-program.js');
    process.exitCode = await runProgram(words, ahead);
  } catch (fault) {
    // Its own parts could not be loaded; what happens in them is told by `runProgram`.
    const message = machineFault(fault);
    if (message === null) throw fault;
    if (words.includes('--json')) {
      process.stdout.write(`${JSON.stringify({ outcome: 'failed', code: 'INTERNAL', message })}\n`);
    } else {
      process.stderr.write(`failed (INTERNAL): ${message}\n`);
    }
    process.exitCode = 1;
  }
}
