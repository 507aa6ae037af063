/**
 * What every git child is started with. A checkout's own settings can run programs, so every switch that could let one
 * through is off in the environment and again on the command line; whatever `GIT_*` the caller had is dropped.
 */
import { delimiter, isAbsolute } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The most that git takes in one piece. A chain of deltas can make it unfold gigabytes for a file of a few bytes. Git
 * makes no deltas and no diffs of files over 512 MiB (`core.bigFileThreshold`) and streams them, so nothing sound needs
 * more; one MiB is for what it adds.
 */
export const GIT_ALLOC_MIB = 513;

const SWITCHES = {
  GIT_ALLOC_LIMIT: `${GIT_ALLOC_MIB}m`,
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_PAGER: 'cat',
  LC_ALL: 'C',
} as const;

const NO_OUTER_SETTINGS = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' } as const;

/** Before the verb of every call. Names stay as they are written: bytes over 127 would otherwise be quoted in octal. */
export const SAFE_SWITCHES = [
  '--no-pager',
  '--no-replace-objects',
  '--literal-pathspecs',
  ...[
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'core.attributesFile=/dev/null',
    'core.sshCommand=false',
    'core.askPass=',
    'core.commitGraph=false',
    'core.multiPackIndex=false',
    'core.quotePath=false',
    'credential.helper=',
    'protocol.allow=never',
  ].flatMap((setting) => ['-c', setting]),
] as const;

/** Without relative folders: git must not be taken from the working directory. */
const absolutePath = (path: string): string => path.split(delimiter).filter(isAbsolute).join(delimiter);

const inherited = (environment: Environment): Record<string, string> => {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !name.toUpperCase().startsWith('GIT_')) kept[name] = value;
  }
  kept['PATH'] = absolutePath(kept['PATH'] ?? '/usr/local/bin:/usr/bin:/bin');
  return kept;
};

export interface RepositoryPlace {
  readonly gitFolder: string;
  readonly objects: string;
  /** Also set where there is no work tree: `core.worktree` of the repository must not be followed. */
  readonly workTree: string;
}

/** Names, index and nothing else are read here: the repository itself, with every program it could name switched off. */
export const namesEnvironment = (environment: Environment, place: RepositoryPlace): Record<string, string> => ({
  ...inherited(environment),
  ...SWITCHES,
  ...NO_OUTER_SETTINGS,
  GIT_DIR: place.gitFolder,
  GIT_WORK_TREE: place.workTree,
});

/** As `namesEnvironment`, with the person's own and the system's settings in force: who they are stands there. */
export const identityEnvironment = (environment: Environment, place: RepositoryPlace): Record<string, string> => ({
  ...inherited(environment),
  ...SWITCHES,
  GIT_DIR: place.gitFolder,
  GIT_WORK_TREE: place.workTree,
});

/** Objects are read here: an empty git folder of ours over the repository's objects. */
export const objectsEnvironment = (
  environment: Environment,
  privateFolder: string,
  objects: string,
): Record<string, string> => ({
  ...inherited(environment),
  ...SWITCHES,
  ...NO_OUTER_SETTINGS,
  HOME: privateFolder,
  XDG_CONFIG_HOME: privateFolder,
  GIT_DIR: privateFolder,
  GIT_OBJECT_DIRECTORY: objects,
});

/** For the one call that speaks to the network; the person's own settings are not read, their ssh agent is. */
export const fetchEnvironment = (
  environment: Environment,
  gitFolder: string,
  protocol: string,
): Record<string, string> => ({
  ...inherited(environment),
  ...SWITCHES,
  ...NO_OUTER_SETTINGS,
  GIT_ALLOW_PROTOCOL: protocol,
  GIT_PROTOCOL_FROM_USER: '0',
  GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
  GIT_DIR: gitFolder,
});

/** Where temporary folders go, from the caller's environment. */
export const temporaryRoot = (environment: Environment): string => {
  const named = environment['TMPDIR'] ?? environment['TMP'] ?? environment['TEMP'];
  return named !== undefined && isAbsolute(named) ? named : '/tmp';
};
