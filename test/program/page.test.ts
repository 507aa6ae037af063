/** The page in Chromium over a real service: what a person can do in each view, by keyboard too, and what never happens. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isWithoutBrowser } from '../support/open-browser.js';
import { HOSTILE_LINE, heldReply, openPageWorld, type PageWorld } from '../support/page-world.js';

describe.skipIf(isWithoutBrowser)('the page', () => {
  let world: PageWorld;
  beforeAll(async () => {
    world = await openPageWorld();
  });
  afterAll(() => world?.close());
  afterEach(() => {
    expect(world.complaints).toEqual([]);
  });

  describe('to somebody without a token', () => {
    it('shows a form and no data, and says when a token is refused', async () => {
      const { page, open } = world;
      await page.goto(`${open.url}/`);
      await page.waitForSelector('input[type=password]');
      expect(await page.$('table')).toBeNull();
      await page.keyboard.type('not-the-token');
      await page.keyboard.press('Enter');
      await world.reads('The service refused this token');
      expect(await world.ask('sessionStorage.length')).toBe(0);
    });

    it('opens with the right one, typed, and keeps it for the tab alone', async () => {
      const { page, open } = world;
      await page.goto(`${open.url}/?`);
      await page.waitForSelector('input[type=password]');
      await page.keyboard.type(open.token);
      await page.keyboard.press('Enter');
      await page.waitForSelector('.table-runs');
      expect(await world.ask('Object.values(sessionStorage)')).toEqual([open.token]);
      expect(await world.ask('document.cookie + JSON.stringify(localStorage)')).not.toContain(open.token);
    });

    it('takes a token from the address and leaves none there', async () => {
      const { page, open } = world;
      await page.goto('about:blank');
      await page.goto(`${open.url}/#token=${open.token}`);
      await page.waitForSelector('.table-runs');
      expect(page.url()).toBe(`${open.url}/#/records`);
    });
  });

  describe('the records', () => {
    it('lists the runs, the newest first, and narrows them by code, kind, time and search', async () => {
      const { page, visit } = world;
      await visit('#/records');
      const rows = await world.texts('.table-runs tbody tr');
      expect(rows).toHaveLength(3);
      expect(rows[0]).toContain('NO_ROUTE');
      expect(rows[1]).toContain('PROVIDER_STATUS');
      expect(rows[2]).toContain('Sent');
      await page.select('.filters label:nth-of-type(4) select', 'PROVIDER_STATUS');
      await world.reads('1 of 1 run');
      await page.reload();
      await world.reads('1 of 1 run');
      await visit('#/records?from=2099-01-01');
      await world.reads('No record fits');
      await visit('#/records?to=2099-01-01&kind=change_review');
      await world.reads('2 of 2 runs');
      await page.focus('input[type=search]');
      await page.keyboard.type('nothing like it');
      await world.reads('No record fits');
      await world.press('Clear filters');
      await world.reads('3 of 3 runs');
    });

    it('are walked with arrow keys and opened with Enter', async () => {
      const { page, visit } = world;
      await visit('#/records');
      await page.focus('.table-runs [data-row]');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.treemap');
      expect(await page.title()).toMatch(/^rec-[a-z2-7]{26} · Coldseal$/);
      expect(await world.ask('document.activeElement.id')).toBe('main');
    });
  });

  describe('one record', () => {
    const openSent = async () => {
      const { open, visit } = world;
      const id = open.world.rows().find(({ event }) => event === 'start')?.['id'];
      await visit(`#/records/${id}`);
      await world.page.waitForSelector('.treemap .tile');
    };

    it('shows items, sizes, cap, route and what was blanked where, and never the value', async () => {
      await openSent();
      const text = (await world.texts('main')).join();
      for (const words of [
        'of 4.0 MiB',
        'default cap',
        'src/app.ts',
        'withheld',
        'token:github_pat',
        'sha256:',
        'sandbox',
      ]) {
        expect(text).toContain(words);
      }
      expect(await world.page.content()).not.toContain(world.secret);
      expect(await world.texts('.tile')).toHaveLength((await world.texts('.table-items tbody tr')).length);
    });

    it('has a treemap that arrow keys walk and Enter selects', async () => {
      const { page } = world;
      await openSent();
      await page.focus('.tile[tabindex="0"]');
      const first = await world.focused();
      const seen = new Set([first]);
      for (const key of ['ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp'] as const) {
        await page.keyboard.press(key);
        seen.add(await world.focused());
      }
      expect(seen.size).toBeGreaterThan(2);
      expect(await page.$$('.tile[tabindex="0"]')).toHaveLength(1);
      await page.keyboard.press('Home');
      expect(await world.focused()).toBe(first);
      await page.keyboard.press('Enter');
      expect(await page.$$('.table-items tr.is-selected')).toHaveLength(1);
      await page.keyboard.press('Enter');
      expect(await page.$('.table-items tr.is-selected')).toBeNull();
    });

    it('verifies the chain and says so', async () => {
      await openSent();
      await world.press('Verify the chain');
      await world.reads('Whole: 5 rows in 1 file');
      await world.reads('this record’s 2 rows as shown');
    });

    it('of a refusal says what it means and what to do', async () => {
      const id = world.open.world.rows().find(({ event }) => event === 'refused')?.['id'];
      await world.visit(`#/records/${id}`);
      await world.reads('A send was asked for and the agent has no provider.');
      await world.reads('Route the agent under oracle.roles in the machine file');
    });

    it('that is not there says so', async () => {
      await world.visit(`#/records/rec-${'a'.repeat(26)}`);
      await world.reads('there is no record rec-');
    });
  });

  describe('a plan', () => {
    const plan = async () => {
      await world.visit('#/plan');
      await world.page.waitForSelector('.plan-form');
      await world.page.focus('.plan-form .button-first');
      await world.page.keyboard.press('Enter');
      await world.page.waitForSelector('.text-box');
    };
    const chooseItem = async (name: string) => {
      const row = await world.page.waitForSelector(`xpath///tr[contains(., "${name}")]//button`);
      await row?.click();
      await world.reads(name);
    };

    it('shows destination and text, with what was blanked marked and what only looks like it not', async () => {
      const { page } = world;
      await plan();
      await world.reads('Would leave this machine for sandbox.coldseal.example');
      await chooseItem('src/app.ts');
      await page.waitForSelector('.mark-blanked');
      expect(await world.texts('.mark-blanked')).toEqual(['[blanked token:github_pat #1]']);
      await chooseItem('src/hostile.ts');
      await world.reads('\\u202e\\x1b[31m[blanked token:github_pat #7]');
      expect(await page.$('.text-box mark')).toBeNull();
      expect(await page.$('main img')).toBeNull();
      expect(await page.content()).not.toContain(world.secret);
    });

    it('keeps no text anywhere once its view is left', async () => {
      const { page } = world;
      await plan();
      await world.ask("location.hash = '#/charts'");
      await page.waitForSelector('.chart');
      const kept = await world.ask(
        '(async () => document.documentElement.outerHTML + JSON.stringify({ ...sessionStorage, ...localStorage }) + (await caches.keys()) + (await indexedDB.databases()).length)()',
      );
      expect(kept).not.toContain('export const line7');
      expect(kept).not.toContain(HOSTILE_LINE.slice(0, 9));
      await page.goBack();
      await page.waitForSelector('.plan-form');
      expect(await page.$('.text-box')).toBeNull();
    });

    it('sends exactly what it showed, once, and its run can be watched and cancelled', async () => {
      const { page, open } = world;
      const sent = open.world.sandbox.requests().length;
      await plan();
      world.play(heldReply);
      await world.press('Send exactly this');
      await world.press('Watch it');
      await page.waitForSelector('.stage-now');
      await page.waitForFunction("document.querySelector('.stage-now')?.innerText === 'Send'");
      await expect.poll(() => open.world.sandbox.requests().length).toBe(sent + 1);
      expect((await world.texts('.card')).join()).toMatch(/Blanked\s*2/);
      await (await page.waitForSelector('.card-end button'))?.focus();
      await page.keyboard.press('Enter');
      await page.waitForSelector('.button-bad');
      expect(await world.focused()).toBe('Cancel for good');
      await page.keyboard.press('Enter');
      await world.reads('CANCELLED');
      await world.reads('Nothing is under way');
    });

    it('that changed before it was sent is refused', async () => {
      const { open } = world;
      await plan();
      open.repository.commit('behind the plan', { 'src/late.ts': 'export const late = 1;\n' });
      await world.press('Send exactly this');
      await world.press('Watch it');
      await world.reads('DIGEST_MISMATCH');
    });
  });

  it('draws charts from the records and from the metrics, with the figures as tables', async () => {
    await world.visit('#/charts');
    await world.page.waitForSelector('#scan-title');
    await world.page.waitForSelector('.chart canvas');
    const text = (await world.texts('main')).join();
    for (const words of ['Bundles a day', 'NO_ROUTE', 'Scan time', 'Blanked spans by family'])
      expect(text).toContain(words);
    await (await world.page.waitForSelector('.chart-table summary'))?.click();
    expect(await world.texts('.chart-table[open] tbody tr')).toHaveLength(30);
  });

  it('says what to do when the service has gone, and asks for a token when it has another', async () => {
    const { page, open } = world;
    await world.visit('#/records');
    await page.setOfflineMode(true);
    await world.press('Reload');
    await world.reads('The service does not answer.');
    await page.setOfflineMode(false);
    await world.press('Try again');
    await page.waitForSelector('.table-runs');
    await world.ask("sessionStorage.setItem('coldseal-token', 'of-an-earlier-start')");
    await world.press('Reload');
    await world.reads('The service refused this token');
    expect(open.log.join('')).not.toContain(open.token);
  });
});
