#!/usr/bin/env node
/**
 * The program. `--version` answers before anything else is loaded; every verb loads only what it runs, so that a cold
 * start stays short.
 */
import { VERSION } from '../contract/version.js';

const words = process.argv.slice(2);
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  const { runProgram } = await import('./run-program.js');
  process.exitCode = await runProgram(words);
}
