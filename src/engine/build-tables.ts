/**
 * Program: `node build-tables.js RULES_FOLDER OUT_FOLDER` writes the shipped rules as `OUT_FOLDER/rules.tables`. Run when
 * the package is built; a rule that is not right ends it with exit code 2 and the rule's name.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { makeTables } from './make-tables.js';

const main = (args: readonly string[]): number => {
  const [rulesFolder, outFolder] = args;
  if (rulesFolder === undefined || outFolder === undefined || args.length !== 2) {
    process.stderr.write('usage: build-tables RULES_FOLDER OUT_FOLDER\n');
    return 2;
  }
  try {
    writeFileSync(join(outFolder, 'rules.tables'), makeTables(rulesFolder));
    return 0;
  } catch (error) {
    if (!(error instanceof ColdsealError)) throw error;
    process.stderr.write(`refused (${error.code}): ${error.message}\n`);
    return 2;
  }
};

process.exitCode = main(process.argv.slice(2));
