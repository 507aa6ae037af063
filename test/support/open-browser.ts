/** A real Chromium for the page's tests. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, Result } from 'axe-core';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { findProgram, isWithout, needProgram } from './find-program.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const chromium = process.env['CHROMIUM'] ?? findProgram(...NAMES);

export const isWithoutBrowser = isWithout(chromium);

export const openBrowser = (): Promise<Browser> => {
  // Root, as CI runs, has no sandbox; what is loaded is the project's own page from loopback.
  const words = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--force-color-profile=srgb'];
  return puppeteer.launch({ executablePath: needProgram('chromium', chromium), args: words });
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
