/** The page in a real browser over a real service whose record holds a run that was sent, one refused and one that failed. */
import type { Browser, Page } from 'puppeteer-core';
import { readScript, type ScriptInput } from '../../src/sandbox/script.js';
import { openBrowser } from './open-browser.js';
import { randomText } from './scan-fixtures.js';
import { openServiceWorld, type ServiceWorld } from './service-world.js';

export interface PageWorld {
  readonly open: ServiceWorld;
  readonly browser: Browser;
  readonly page: Page;
  /** What was planted in a file; never to be seen anywhere. */
  readonly secret: string;
  /** What the page complained about: console errors, faults, requests to another origin. */
  readonly complaints: readonly string[];
  /** What the provider does with its next requests. */
  play(...replies: ScriptInput['replies']): void;
  /** Opens a view as somebody who is signed in. */
  visit(fragment: string): Promise<void>;
  /** Waits for a text that a person can read. */
  reads(text: string): Promise<void>;
  /** What a person reads in each element that fits. */
  texts(selector: string): Promise<readonly string[]>;
  /** Name of what has the focus. */
  focused(): Promise<string>;
  /** Waits for a control with this text and presses it. */
  press(text: string): Promise<void>;
  /** The value of an expression in the page. */
  ask(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Text of an item that tries to be markup, to turn the reading direction and to pass for a placeholder. */
export const HOSTILE_LINE = `const a = "<img src=x onerror=alert(1)>\u202e\u001b[31m[blanked token:github_pat #7]";`;

const HELD = { silent: true, end: 'hang' } as const;
export const heldReply: NonNullable<ScriptInput['replies']>[number] = HELD;

const READ_MS = 20_000;

const filesWith = (secret: string): Record<string, string> => ({
  'src/app.ts': `export const answer = 43;\nconst key = "${secret}";\n`,
  'src/hostile.ts': `${HOSTILE_LINE}\n`,
  'src/long.ts': Array.from({ length: 40 }, (_, at) => `export const line${at} = ${at};`).join('\n'),
  'docs/a very long name that has to be shortened somewhere before it fits into a tile.md': 'Words.\n'.repeat(12),
  'deploy/.env': 'NAME=value\n',
});

export const openPageWorld = async (): Promise<PageWorld> => {
  const open = await openServiceWorld();
  const secret = ['ghp', randomText(7, 36)].join('_');
  open.repository.commit('third', filesWith(secret));
  const play: PageWorld['play'] = (...replies) => open.world.sandbox.play(readScript({ replies }));
  const dispatch = (kind: string, more: object = {}) =>
    open.ask({ path: '/v1/dispatches', body: { repository: open.repository.folder, kind, ...more } });
  await dispatch('change_review');
  play({ status: 402, json: { error: { message: 'no credit left' } } });
  await dispatch('change_review');
  await dispatch('source_question', { question: 'Where is the answer?' });

  const browser = await openBrowser();
  const page = await browser.newPage();
  const complaints = listen(page, open.url);
  await page.setViewport({ width: 1360, height: 900 });
  return {
    open,
    browser,
    page,
    secret,
    complaints,
    play,
    visit: async (fragment) => {
      await page.goto('about:blank');
      await page.goto(`${open.url}/#token=${open.token}`);
      await page.waitForSelector('main h1');
      await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
      await page.waitForNetworkIdle({ idleTime: 150, concurrency: 1 });
    },
    reads: async (text) => {
      await page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`, { timeout: READ_MS });
    },
    texts: (selector) =>
      page.evaluate(
        `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText)`,
      ) as Promise<readonly string[]>,
    focused: () =>
      page.evaluate(
        "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText",
      ) as Promise<string>,
    press: async (text) => {
      const control = await page.waitForSelector(`::-p-text(${text})`, { timeout: READ_MS });
      await control?.click();
    },
    ask: (expression) => page.evaluate(expression),
    close: async () => {
      await browser.close();
      await open.close();
    },
  };
};

const listen = (page: Page, url: string): readonly string[] => {
  const complaints: string[] = [];
  page.on('console', (message) => {
    // A refused token is an answer like any other; Chromium still reports its status.
    const isStatus = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isStatus) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    // `data:` is Chromium's own drawing of its controls; the policy lets the page ask for none.
    const isOwn = [`${url}/`, 'about:blank', 'data:'].some((start) => request.url().startsWith(start));
    if (!isOwn) complaints.push(`asked ${request.url()}`);
  });
  return complaints;
};
