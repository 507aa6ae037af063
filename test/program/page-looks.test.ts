/**
 * How the page looks and behaves for everybody: each view in light and dark, wide and narrow, held against WCAG by axe, and
 * walked by Tab alone. `COLDSEAL_SHOTS=FOLDER` keeps a picture of each.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers, isWithoutBrowser } from '../support/open-browser.js';
import { openPageWorld, type PageWorld } from '../support/page-world.js';

const STILL = { name: 'prefers-reduced-motion', value: 'reduce' } as const;
const WIDE = { width: 1360, height: 900 } as const;
const NARROW = { width: 390, height: 844 } as const;
const LOOKS = [
  ['light', WIDE],
  ['dark', WIDE],
  ['light', NARROW],
  ['dark', NARROW],
] as const;

describe.skipIf(isWithoutBrowser)('the page, looked at', () => {
  let world: PageWorld;
  beforeAll(async () => {
    world = await openPageWorld();
  });
  afterAll(() => world?.close());

  const recordOf = (event: string) => world.open.world.rows().find((row) => row['event'] === event)?.['id'];
  const views: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      'sign-in',
      () =>
        world.page
          .goto(`${world.open.url}/?signed-out`)
          .then(() => world.ask('sessionStorage.clear(), location.reload()')),
    ],
    ['records', () => world.visit('#/records')],
    ['record', () => world.visit(`#/records/${recordOf('start')}`)],
    ['refusal', () => world.visit(`#/records/${recordOf('refused')}`)],
    ['live', () => world.visit('#/live')],
    ['plan', () => world.visit('#/plan').then(makePlan)],
    ['charts', () => world.visit('#/charts')],
  ];
  const makePlan = async () => {
    await (await world.page.waitForSelector('.plan-form .button-first:not([disabled])'))?.click();
    await world.page.waitForSelector('.text-box');
  };

  const keepPicture = async (name: string): Promise<void> => {
    const folder = process.env['COLDSEAL_SHOTS'];
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    await world.page.screenshot({ path: join(folder, `${name}.png`) as `${string}.png`, fullPage: true });
  };

  it.each(views.map(([name]) => name))(
    'has no barrier in the view “%s”, in either mode, wide or narrow',
    async (name) => {
      const { page } = world;
      const open = views.find(([view]) => view === name)?.[1];
      const grounds = new Set<unknown>();
      for (const [mode, size] of LOOKS) {
        // Without motion no colour is seen half way to another.
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: mode }, STILL]);
        await page.setViewport(size);
        // Once a width: what is on view follows the mode by itself.
        if (mode === 'light') {
          await open?.();
          await page.waitForSelector('h1');
          await page.waitForFunction("!document.querySelector('.notice-loading')");
        }
        grounds.add(await world.ask('getComputedStyle(document.documentElement).backgroundColor'));
        expect(await findBarriers(page, mode === 'light' ? 'all' : 'colours'), `${name} ${mode} ${size.width}`).toEqual(
          [],
        );
        expect(await world.ask('document.documentElement.scrollWidth'), 'no sideways scrolling').toBe(size.width);
        await keepPicture(`${name}-${size.width}-${mode}`);
      }
      expect(grounds.size).toBe(2);
    },
  );

  it('lets the person choose the mode, whatever the system says, and keeps the choice', async () => {
    const { page } = world;
    const ground = () => world.ask('getComputedStyle(document.documentElement).backgroundColor');
    await page.setViewport(WIDE);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
    await world.visit('#/records');
    const light = await ground();
    await page.select('.theme select', 'dark');
    expect(await ground()).not.toBe(light);
    await page.reload();
    await page.waitForSelector('.table-runs');
    expect(await ground()).not.toBe(light);
    await page.select('.theme select', 'system');
    expect(await ground()).toBe(light);
  });

  it('moves nothing for somebody who asked for less motion', async () => {
    await world.page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    await world.visit(`#/records/${recordOf('start')}`);
    const moving = await world.ask(
      "[...document.querySelectorAll('*')].filter((one) => !/^(0s(, )?)+$/.test(getComputedStyle(one).transitionDuration) || getComputedStyle(one).animationName !== 'none').length",
    );
    expect(moving).toBe(0);
  });

  it.each(['records', 'record', 'live', 'plan', 'charts'])(
    'lets Tab alone reach everything in the view “%s” and go on',
    async (name) => {
      const { page } = world;
      await page.setViewport(WIDE);
      await views.find(([view]) => view === name)?.[1]();
      await page.waitForFunction("!document.querySelector('.notice-loading')");
      await world.ask(
        "document.body.tabIndex = -1, document.body.focus(), document.body.removeAttribute('tabindex'), document.querySelectorAll('details').forEach((one) => { one.open = false; })",
      );
      const due = await world.ask(
        "[...document.querySelectorAll('a[href], button, input, select, summary, [tabindex]')].filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility()).length",
      );
      await page.keyboard.press('Tab');
      expect(await world.focused()).toBe('Skip to content');
      const reached = (await world.ask(WALK_STATE)) as FocusState;
      const seen = new Set([reached.key]);
      // A date field is three stops and more.
      for (let step = 0; step < 3 * Number(due) + 20; step += 1) {
        await page.keyboard.press('Tab');
        const { key, isOutlined } = (await world.ask(WALK_STATE)) as FocusState;
        // The end of the document: the next Tab is the browser's own.
        if (key === 'BODY' || (key === reached.key && seen.size > 1)) break;
        expect(isOutlined, `focus is seen on ${key}`).toBe(true);
        seen.add(key);
      }
      expect(seen.size).toBe(due);
    },
  );
});

interface FocusState {
  readonly key: string;
  readonly isOutlined: boolean;
}

/** Each element once: its place among all of them. */
const WALK_STATE = `(() => {
  const one = document.activeElement;
  if (one === document.body) return { key: 'BODY', isOutlined: true };
  const style = getComputedStyle(one);
  const place = [...document.querySelectorAll('*')].indexOf(one);
  return { key: place + ' ' + one.tagName + ' ' + one.className, isOutlined: style.outlineStyle !== 'none' && style.outlineWidth !== '0px' };
})()`;
