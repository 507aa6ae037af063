/**
 * A real Chromium for the page's tests. Where there is none the tests are skipped on a person's machine and fail in CI,
 * so that nothing passes there because nobody looked.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import type { AxeResults, Result } from 'axe-core';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const findChromium = (): string | null => {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const places = [
    process.env['CHROMIUM'] ?? '',
    ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))),
  ];
  return places.find((place) => place !== '' && existsSync(place)) ?? null;
};

const chromium = findChromium();

/** For `describe.skipIf`: false in CI, whatever is there. */
export const isWithoutBrowser = chromium === null && process.env['CI'] === undefined;

export const openBrowser = (): Promise<Browser> => {
  if (chromium === null)
    throw new Error('no Chromium on PATH and none at $CHROMIUM: install it, for the page is tested in it');
  // Root, as CI runs, has no sandbox; what is loaded is the project's own page from loopback.
  const words = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--force-color-profile=srgb'];
  return puppeteer.launch({ executablePath: chromium, args: words });
};

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds against WCAG and its own best practices, or in colours alone, one line each: rule, places, why. */
export const findBarriers = async (page: Page, rules: 'all' | 'colours'): Promise<readonly string[]> => {
  await page.evaluate(axeSource);
  const { violations } = (await page.evaluate(
    `axe.run(document, ${rules === 'all' ? '{}' : "{ runOnly: ['color-contrast'] }"})`,
  )) as AxeResults;
  return violations.map(describeResult);
};

const describeResult = ({ id, nodes }: Result): string =>
  `${id}: ${nodes
    .slice(0, 3)
    .map(({ target, failureSummary }) => `${target.join(' ')} (${failureSummary ?? ''})`)
    .join('; ')}`;
