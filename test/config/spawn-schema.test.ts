import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { executionPrimitive } from '../../src/config/execution-primitives.js';
import { readSettings } from '../../src/config/read-settings.js';
import { type MadeHome, makeHome, refusalOf } from './made-home.js';

let made: MadeHome;
beforeEach(() => {
  made = makeHome();
});
afterEach(() => made.remove());

const SPAWN = { program: '/opt/tool/bin/tool', models: ['large'] };

const read = (spawn: unknown, beside: Readonly<Record<string, unknown>> = {}, api: unknown = {}) => {
  made.write(made.machineFile, { oracle: { api }, coldseal: { providers: { tool: { spawn, ...beside } } } });
  return readSettings(made.facts());
};

describe('a provider that is a program', () => {
  it('is remote, prints its answer and fails without one, unless its owner says otherwise', async () => {
    expect((await read(SPAWN)).providers.get('tool')).toMatchObject({
      endpoint: { baseUrl: 'spawn:/opt/tool/bin/tool', host: '/opt/tool/bin/tool', remote: true },
      credential: null,
      models: ['large'],
      totalTimeoutMs: 1_800_000,
      spawn: { program: '/opt/tool/bin/tool', args: [], environment: {}, output: 'stdout', emptyOutput: 'fail' },
    });
    const said = {
      ...SPAWN,
      args: ['--model={{model}}', '-o', '{{output}}'],
      env: { ACME_REGION: 'north' },
      runs_on: 'this-machine',
      output: 'file',
      empty_output: 'accept',
    };
    const { providers } = await read(said, { timeout: 1200, max_prompt_tokens: 5 });
    expect(providers.get('tool')).toMatchObject({
      endpoint: { remote: false },
      totalTimeoutMs: 1_200_000,
      maxPromptTokens: 5,
      spawn: { args: said.args, environment: said.env, output: 'file', emptyOutput: 'accept' },
    });
  });

  it('is shown with every host that its block names', async () => {
    const spawn = {
      ...SPAWN,
      args: ['--url', 'https://LLM.example.org:8443/v1'],
      env: { BASE: 'http://b.example.net' },
    };
    expect((await read(spawn)).providers.get('tool')?.endpoint.host).toBe(
      '/opt/tool/bin/tool, which names llm.example.org, b.example.net',
    );
  });

  const WRONG: readonly (readonly [what: string, spawn: unknown, said: string])[] = [
    ['a program without its path', { ...SPAWN, program: 'tool' }, 'must be an absolute path'],
    ['no program', { models: ['large'] }, 'spawn.program is missing'],
    ['no models', { program: '/opt/tool' }, 'spawn.models is missing'],
    ['an unknown placeholder', { ...SPAWN, args: ['{{prompt}}'] }, 'holds {{prompt}}'],
    ['a placeholder with blanks', { ...SPAWN, args: ['{{ model }}'] }, 'holds {{ model }}'],
    ['a file that no argument names', { ...SPAWN, output: 'file' }, '"output": "file" and {{output}}'],
    ['a named file that is not read', { ...SPAWN, args: ['{{output}}'] }, '"output": "file" and {{output}}'],
    ['models that the program never hears of', { ...SPAWN, models: ['a', 'b'] }, 'has no {{model}}'],
    ['a number in the environment', { ...SPAWN, env: { A: 1 } }, 'env.A must be a text'],
    ['an unknown member', { ...SPAWN, shell: true }, 'shell is no known member'],
    ['an unknown place', { ...SPAWN, runs_on: 'local' }, 'runs_on must be one of'],
    ['a NUL', { ...SPAWN, args: ['a\0b'] }, 'holds a NUL'],
  ];
  it.each(WRONG)('is refused with %s', async (_what, spawn, said) => {
    const refusal = await refusalOf(read(spawn));
    expect(refusal.code).toBe('CONFIG_INVALID');
    expect(refusal.message).toContain(said);
  });

  it.each([
    ['resolve', {}],
    ['ca_file', 'ca.pem'],
    ['settings', {}],
    ['usage_chunk', true],
  ])('has no place for %s', async (name, value) => {
    expect((await refusalOf(read(SPAWN, { [name]: value }))).message).toContain(`${name} has no place here`);
  });

  it('waits 900 seconds at least, and is not an address too', async () => {
    expect((await refusalOf(read(SPAWN, { timeout: 899 }))).code).toBe('CONFIG_INVALID');
    const api = { tool: { base_url: 'https://api.example.com/v1', models: ['large'] } };
    expect((await refusalOf(read(SPAWN, {}, api))).message).toContain('both say how to reach it');
  });

  it('is refused in a repository, which may not route to one either', async () => {
    made.write(made.repositoryFile, { coldseal: { providers: { tool: { spawn: SPAWN } } } });
    made.write(made.machineFile, {});
    const settings = await readSettings(made.facts());
    expect(settings.providers.size).toBe(0);
    expect(settings.notices.join('\n')).toContain('coldseal');
  });
});

describe('a variable that decides what code runs', () => {
  it.each([
    ...[
      'PATH',
      'Path',
      'node_options',
      'NODE_OPTIONS',
      'LD_PRELOAD',
      'ld_preload',
      'Ld_Audit',
      'DYLD_INSERT_LIBRARIES',
    ],
    ...['BASH_ENV', 'ENV', 'IFS', 'PYTHONSTARTUP', 'PYTHONPATH', 'PERL5OPT', 'RUBYOPT', 'JAVA_TOOL_OPTIONS'],
    ...['GIT_SSH_COMMAND', 'git_exec_path', 'npm_config_node_options', 'NODE_TLS_REJECT_UNAUTHORIZED', 'EDITOR'],
    ...['GLIBC_TUNABLES', 'OPENSSL_CONF', 'DOTNET_STARTUP_HOOKS', 'TMPDIR'],
  ])('is refused: %s', async (name) => {
    expect(executionPrimitive(name)).not.toBeNull();
    const refusal = await refusalOf(read({ ...SPAWN, env: { [name]: 'x' } }));
    expect(refusal.message).toContain(`the name decides what code a program runs`);
  });

  it.each(['ACME_API_KEY', 'HTTPS_PROXY', 'XDG_CONFIG_HOME', 'HOME', 'LC_ALL', 'PATHS', 'ENVIRONMENT'])(
    'is not %s',
    (name) => {
      expect(executionPrimitive(name)).toBeNull();
    },
  );
});
