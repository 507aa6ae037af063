/** The promise in the types: what was not blanked and sealed does not compile as something to send. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SNIPPET = join(root, 'test/contract/snippet.ts');
const PRELUDE = `
import type { BlankedBytes, SealedBundle } from '../../src/contract/bundle.js';
import type { Brief, SendRequest, Transport } from '../../src/contract/transport.js';
import { blank } from '../../src/bundle/blank.js';
import { seal } from '../../src/bundle/seal.js';
import type { BundleDescription } from '../../src/bundle/describe-bundle.js';
declare const raw: Uint8Array;
declare const description: BundleDescription;
declare const sealed: SealedBundle;
declare const request: SendRequest;
declare const transport: Transport;
`;

/** Codes of the errors in a snippet that stands in no file, under the project's own settings. */
const errorsIn = (text: string): readonly number[] => {
  const settings = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(settings.config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === SNIPPET || fileExists(name);
  host.getSourceFile = (name, languageOrOptions) =>
    name === SNIPPET
      ? ts.createSourceFile(name, `${PRELUDE}${text}\nexport {};\n`, languageOrOptions)
      : getSourceFile.call(host, name, languageOrOptions);
  const program = ts.createProgram([SNIPPET], { ...options, noUnusedLocals: false, noUnusedParameters: false }, host);
  return ts.getPreEmitDiagnostics(program, program.getSourceFile(SNIPPET)).map(({ code }) => code);
};

const NOT_ASSIGNABLE = 2322;
const NOT_AN_ARGUMENT = 2345;
const CONVERSION_LACKS_BRAND = 2741;

describe('what may be dispatched', () => {
  let control: readonly number[] = [];
  beforeAll(() => {
    control = errorsIn(
      `const b = seal(description, { message: blank([raw], new Map()).bytes, system: sealed.system });
       void transport.send({ ...request, brief: { kind: 'sealed', bundle: b } });`,
    );
  });

  it('is a sealed bundle of blanked bytes', () => {
    expect(control).toEqual([]);
  });

  it.each([
    ['raw bytes as blanked bytes', 'const b: BlankedBytes = raw;', [NOT_ASSIGNABLE]],
    ['raw bytes as a bundle', 'const b: SealedBundle = raw;', [NOT_ASSIGNABLE, 2740, 2739]],
    [
      'raw bytes in a brief',
      "void transport.send({ ...request, brief: { kind: 'sealed', bundle: raw } });",
      [NOT_ASSIGNABLE, 2740, 2739],
    ],
    ['raw bytes sealed', 'seal(description, { message: raw, system: raw });', [NOT_ASSIGNABLE, NOT_AN_ARGUMENT]],
    [
      'everything a sealed bundle says, without the seal',
      'const b: SealedBundle = { ...description, message: sealed.message, system: sealed.system };',
      [CONVERSION_LACKS_BRAND, NOT_ASSIGNABLE],
    ],
  ])('is not %s', (_what, text, codes) => {
    const found = errorsIn(text);
    expect(found.length).toBeGreaterThan(0);
    for (const code of found) expect(codes).toContain(code);
  });
});
