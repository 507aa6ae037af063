/**
 * `coldseal doctor`: everything that a run stands on, looked at without a run. A setting that does not read hides what
 * depends on it, so those rows are left out rather than guessed.
 */
import { printable } from '../../contract/printable.js';
import type { Settings } from '../../contract/settings.js';
import { readMachineSettings, readSettingsHere } from '../read-settings-here.js';
import type { Surroundings } from '../surroundings.js';
import { type Check, ok, refused, warn } from './check.js';
import { checkAugmenter } from './check-augmenter.js';
import { checkNodeVariables, checkProxy } from './check-environment.js';
import {
  checkGit,
  checkNode,
  checkOwnersRules,
  checkScanner,
  checkTerminal,
  checkThreads,
  type TerminalFacts,
} from './check-program.js';
import { checkProviders } from './check-providers.js';
import { checkRecords } from './check-records.js';

export type { Check };

export const examine = async (surroundings: Surroundings, terminal: TerminalFacts): Promise<readonly Check[]> => {
  const { environment } = surroundings;
  const machine = await checkMachine(surroundings);
  return [
    checkNode(process.versions.node),
    await checkGit(surroundings),
    await checkScanner(surroundings),
    machine.check,
    ...(machine.settings === null ? [] : await checkWithSettings(machine.settings, surroundings)),
    checkProxy(environment),
    ...(await checkNodeVariables(environment)),
    checkTerminal(terminal),
  ];
};

const checkWithSettings = async (settings: Settings, surroundings: Surroundings): Promise<readonly Check[]> => [
  ...(await checkRepository(surroundings)),
  ...(await checkRecords(settings.own.recordsFolder)),
  await checkOwnersRules(settings.own),
  await checkAugmenter(settings.own, surroundings),
  checkThreads(settings.own, surroundings.cores),
  ...(await checkProviders(settings, surroundings)),
];

interface Machine {
  readonly check: Check;
  readonly settings: Settings | null;
}

const checkMachine = async (surroundings: Surroundings): Promise<Machine> => {
  try {
    const { settings, machine } = await readMachineSettings(surroundings);
    const shown = printable(settings.machineFile);
    if (machine === null) {
      const todo = 'Nothing is routed until there is one: `coldseal init` writes it.';
      return { check: warn('machine file', `${shown} is not there`, todo), settings };
    }
    const [first] = settings.notices;
    if (first === undefined)
      return { check: ok('machine file', `${shown} reads and is yours alone to write`), settings };
    return { check: warn('machine file', settings.notices.join('; '), 'Look whether that is meant.'), settings };
  } catch (error) {
    const todo = 'Correct what the message names; every run is refused until then.';
    return { check: refused('machine file', error, todo), settings: null };
  }
};

/** What the checkout here says of itself; nothing where there is none. */
const checkRepository = async (surroundings: Surroundings): Promise<readonly Check[]> => {
  try {
    const { settings, repository } = await readSettingsHere(surroundings);
    if (repository === null) return [];
    const file = printable(repository.file);
    const notices = settings.notices.filter((notice) => notice.includes(file));
    const todo = 'A checkout may only tighten; `coldseal config show` names each line.';
    return [
      notices.length === 0 ? ok('repository file', `${file} reads`) : warn('repository file', notices.join('; '), todo),
    ];
  } catch (error) {
    return [refused('repository file', error, 'Runs in this checkout are refused until it is corrected.')];
  }
};
