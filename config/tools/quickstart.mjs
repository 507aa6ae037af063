// `npm run quickstart`: from a fresh clone to one bundle sent, in one command. Installs and builds what is missing, then
// runs the program's own demonstration: a made-up repository with planted secrets, a plan, a send to a provider on this
// machine that is judged remote, and the record. Everything of it stands in a temporary folder and is removed.
import { join } from 'node:path';
import { installWhatIsMissing } from './install.mjs';
import { root, run } from './run-program.mjs';

installWhatIsMissing();
run(process.execPath, ['config/tools/build.mjs']);
run(process.execPath, [join(root, 'dist', 'cli.js'), 'demo']);
console.log(
  [
    '',
    '== where to go next',
    'coldseal demo                                                   this again',
    'coldseal init --base-url URL --model MODEL --key-env VARIABLE   write your own machine file',
    'coldseal review --plan                                          in any repository of yours',
    'coldseal doctor                                                 whether this machine is ready',
    'coldseal explain                                                every refusal and what changes it',
    'README.md                                                       the rest',
  ].join('\n'),
);
