/**
 * `coldseal.providers.<name>.spawn`: a provider that is a program of the owner's. It stands under our own name and not
 * under `oracle.api`, which other programs read and which knows addresses alone.
 *
 * The program is remote unless the owner says that it runs on this machine: what a program does with its input cannot be
 * judged from its name.
 */
import { list, object, record } from './container-shape.js';
import { executionPrimitive } from './execution-primitives.js';
import { model } from './oracle-schema.js';
import { judged, mapped, oneOf, text, type ValueOf } from './shape.js';

const PLACEHOLDERS = ['{{model}}', '{{output}}'] as const;

const withoutNul = (written: string): string | null => (written.includes('\0') ? 'holds a NUL' : null);

const program = judged(text({ due: 'the absolute path of a program' }), (written) =>
  written.startsWith('/') ? withoutNul(written) : 'must be an absolute path: no search path is asked',
);

const argument = judged(text({ due: 'an argument' }), (written) => {
  const unknown = (written.match(/\{\{.*?\}\}/g) ?? []).filter((found) => !PLACEHOLDERS.some((one) => one === found));
  if (unknown.length === 0) return withoutNul(written);
  return `holds ${unknown.join(' and ')}; an argument may hold ${PLACEHOLDERS.join(' and ')} alone`;
});

const environment = record(
  {
    due: 'the name of an environment variable',
    pattern: /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
    judge: executionPrimitive,
    most: 64,
  },
  judged(text({ due: 'a text', mostBytes: 16 * 1024 }), withoutNul),
);

export const spawn = mapped(
  object({
    required: { program, models: list(model, { least: 1, most: 64 }) },
    optional: {
      args: list(argument, { most: 64 }),
      env: environment,
      runs_on: oneOf(['remote', 'this-machine']),
      output: oneOf(['stdout', 'file']),
      empty_output: oneOf(['fail', 'accept']),
    },
    unknown: 'refuse',
  }),
  (members) => {
    const args = members.args ?? [];
    const output = members.output ?? 'stdout';
    const hears = (placeholder: string): boolean => args.some((one) => one.includes(placeholder));
    if ((output === 'file') !== hears('{{output}}')) {
      return { ok: false, wrong: 'must have "output": "file" and {{output}} among its arguments, or neither' };
    }
    if (members.models.length > 1 && !hears('{{model}}')) {
      return { ok: false, wrong: `lists ${members.models.length} models and has no {{model}} among its arguments` };
    }
    return {
      ok: true,
      value: {
        program: members.program,
        args,
        environment: Object.fromEntries(members.env ?? []),
        output,
        emptyOutput: members.empty_output ?? 'fail',
        models: members.models,
        runsOn: members.runs_on ?? 'remote',
      },
    };
  },
);

export type SpawnMembers = ValueOf<typeof spawn>;
