/** The README's own words, held against the program: what a reader copies must read. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';
import { projectFolder } from '../support/run-coldseal.js';

const README = readFileSync(join(projectFolder, 'README.md'), 'utf8');
const EXAMPLES = [...README.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => text ?? '');

let home: ProgramHome;
beforeEach(() => {
  home = makeProgramHome({});
});
afterEach(() => home.remove());

describe('the README', () => {
  it('shows machine files that read', async () => {
    expect(EXAMPLES.length).toBeGreaterThanOrEqual(4);
    for (const text of EXAMPLES) {
      writeFileSync(home.machineFile, text, { mode: 0o600 });
      const check = await home.run(home.home, ['config', 'check', '--json']);
      expect([text, check.exit, JSON.parse(check.stdout)]).toMatchObject([text, 0, { ok: true }]);
    }
  });

  it('shows rules of one’s own that load, and a gitleaks file beside them', async () => {
    const text = EXAMPLES.find((one) => one.includes('rules_dir')) ?? '';
    writeFileSync(home.machineFile, text, { mode: 0o600 });
    mkdirSync(join(home.machineFolder, 'rules'), { mode: 0o700 });
    const toml = `[[rules]]\nid = "acme"\nregex = '''acme_[a-z]{9}'''\n`;
    writeFileSync(join(home.machineFolder, 'rules', '.gitleaks.toml'), toml);
    const listed = await home.run(home.home, ['rules', 'list', '--json']);
    const { rules } = JSON.parse(listed.stdout) as { readonly rules: readonly { readonly id: string }[] };
    expect(rules.slice(-2).map(({ id }) => id)).toEqual(['own.acme', 'private.student']);
  });

  it('shows nothing escaped inside backticks, where Markdown shows it as it is typed', () => {
    const spans = README.match(/`[^`\n]+`/g) ?? [];
    expect(spans.length).toBeGreaterThan(300);
    expect(spans.filter((span) => span.includes('&lt;'))).toEqual([]);
  });
});
