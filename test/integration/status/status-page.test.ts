import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeSegment } from '../../../local/shipper/segment.ts';
import { telemetry } from '../../../local/shipper/telemetry.ts';
import { root } from '../../docs/fences.ts';
import { type Registration, startRegistration } from '../../jobs/registration.ts';
import { type Browser, startBrowser } from './browser.ts';

const LONG = `telemetry_${'of_a_plant_with_a_long_name_'.repeat(5)}`;
/** What a phone shows without zooming. */
const SMALLEST_TEXT_PX = 12;

/** The package has no other Chromium. */
const isLinuxOnX64 = process.platform === 'linux' && process.arch === 'x64';

const folder = mkdtempSync(path.join(tmpdir(), 'status-'));
const file = path.join(folder, 'status.html');
let registration: Registration;
let browser: Browser;

/** A table with a schema timeline and a refused segment, and one with a long name. */
beforeAll(async () => {
  if (!isLinuxOnX64) return;
  registration = await startRegistration({ freshness: '1h' });
  for (const version of telemetry.versions.keys()) {
    const { key, bytes } = makeSegment(telemetry, version, version);
    await registration.deliver([registration.upload(key, bytes)]);
    await registration.deliver([registration.upload(key.replace('/telemetry/', `/${LONG}/`), bytes)]);
  }
  const { key } = makeSegment(telemetry, 0, 9);
  await registration.deliver([registration.upload(key, Buffer.from('no Parquet'))]);
  const env = { PATH: process.env['PATH'], ...registration.environment };
  await new Promise((resolve) =>
    execFile(process.execPath, ['cli/main.mjs', 'status', '--html', file], { cwd: root, env }, resolve),
  );
  browser = await startBrowser();
});
afterAll(async () => {
  browser?.close();
  await registration?.close();
  rmSync(folder, { recursive: true });
});

describe.runIf(isLinuxOnX64).each([
  [390, 'light'],
  [390, 'dark'],
  [1280, 'light'],
] as const)('the page of status --html in Chromium, %i pixels wide, %s', (width, scheme) => {
  test('is whole without the network, fits the width, and has text that can be read', async () => {
    const url = pathToFileURL(file).href;
    const page = await browser.show(url, width, scheme);
    expect(page.requests).toEqual([url]);
    expect(await page.evaluate('document.body.innerText')).toMatch(
      /^1 of 2 tables needs attention\n.*Schema changes: 1\n/s,
    );
    const all = '[...document.body.querySelectorAll("*")]';
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(
      await page.evaluate(
        `${all}.filter((one) => one.getBoundingClientRect().right > ${width + 1}).map((one) => one.outerHTML)`,
      ),
    ).toEqual([]);
    expect(
      await page.evaluate(
        `Math.min(...${all}.filter((one) => one.innerText).map((one) => parseFloat(getComputedStyle(one).fontSize)))`,
      ),
    ).toBeGreaterThanOrEqual(SMALLEST_TEXT_PX);
    const charts = (await page.evaluate(
      '[...document.querySelectorAll("svg")].map((one) => one.getBoundingClientRect()).map(({ width, height }) => [width, height])',
    )) as readonly (readonly [number, number])[];
    expect(charts).toHaveLength(14);
    for (const [across, high] of charts) {
      expect(across).toBeGreaterThan(200);
      expect(high).toBeGreaterThan(50);
    }
    // Light text on dark, or dark text on light: whatever the reader has asked for.
    const isDark = await page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches');
    expect(isDark).toBe(scheme === 'dark');
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe(
      scheme === 'dark' ? 'rgb(255, 255, 255)' : 'rgb(0, 0, 0)',
    );
  });
});
