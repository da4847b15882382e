import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { buildPages } from '#test/support/browser/built-pages.ts';
import { findChromium, launchChromium, noChromium, openPage } from '#test/support/browser/chromium.ts';
import { browserBytes, peakWhile } from '../measure/browser-memory.ts';
import { type Figure, pagesReport } from '../report/pages.ts';
import { bareWork, chunkAddresses, putAll } from './bare.ts';
import { firstVisits, interactiveAfter } from './interactive.ts';
import { makePageMaterial, pageSizes } from './material.ts';
import { type PagesService, startPagesService } from './service.ts';

interface PagesBenchOptions {
  /** A folder of its own. */
  readonly folder: string;
  readonly quick: boolean;
  readonly rounds: number;
  readonly loadBefore: number;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** An argument that means nothing to a browser, by which this one is known. */
const mark = `--longshore-bench=${process.pid}`;
/** Milliseconds until a page that was just opened has come to rest. */
const settles = 2_000;
/** Small files take long and vary little. */
const mostSmallRounds = 3;

/** The upload page in a real browser: a big file beside a bare `fetch` of the same chunks, many small ones, a slow line. */
export async function pagesBench({ folder, quick, rounds, loadBefore, signal, say }: PagesBenchOptions): Promise<string> {
  if (!findChromium()) return `The pages were not measured: ${noChromium}.\n`;
  const sizes = quick ? pageSizes.quick : pageSizes.full;
  say(`Pages: preparing ${sizes.bigBytes / 2 ** 20} MiB and ${sizes.smallFiles} small files.`);
  const material = makePageMaterial(folder, sizes);
  const web = await buildPages('web');
  const home = join(folder, 'service');
  mkdirSync(home);
  let service: PagesService | null = null;
  let browser: Browser | null = null;
  try {
    service = await startPagesService(home, web.folder, signal);
    browser = await launchChromium([mark]);
    const version = browser.version();
    const visits = firstVisits(service);
    const interactive = await interactiveAfter(browser, visits.upload);
    const console = { signIn: await interactiveAfter(browser, visits.signIn), home: await interactiveAfter(browser, visits.home) };
    const figures: Figure[] = [];
    for (let round = 1; round <= rounds; round++) {
      signal.throwIfAborted();
      const big = { browser, service, file: material.big, bytes: sizes.bigBytes };
      // In turn, each round beginning with the other one.
      const page = () => bigByPage(big);
      const bare = async () => ({ bare: await bigBare(big) });
      const parts = round % 2 === 1 ? [await page(), await bare()] : [await bare(), await page()];
      figures.push({ round, ...parts[0], ...parts[1] } as Figure);
      say(`Pages, round ${round}: ${JSON.stringify(figures.at(-1))}`);
    }
    const small: number[] = [];
    for (let round = 1; round <= Math.min(rounds, mostSmallRounds); round++) {
      signal.throwIfAborted();
      small.push(await smallByPage(browser, service, material.small));
      say(`Pages, small files, round ${round}: ${small.at(-1)!.toFixed(1)} s`);
    }
    return pagesReport({ sizes, figures, small, interactive, console, version, loadBefore });
  } finally {
    await browser?.close();
    await service?.stop();
  }
}

interface Big {
  readonly browser: Browser;
  readonly service: PagesService;
  readonly file: string;
  readonly bytes: number;
}

async function bigByPage({ browser, service, file }: Big): Promise<Pick<Figure, 'page' | 'grownBytes'>> {
  const { page, close } = await visit(browser, service);
  try {
    await page.waitForTimeout(settles);
    const idle = browserBytes(mark);
    await choose(page, 'files', file);
    const { result, peakBytes } = await peakWhile(mark, () => send(page));
    return { page: result, grownBytes: Math.max(0, peakBytes - idle) };
  } finally {
    await close();
    service.emptyStorage();
  }
}

async function bigBare({ browser, service, file, bytes }: Big): Promise<number> {
  const { page, close } = await visit(browser, service);
  try {
    await page.evaluate(() => document.body.append(Object.assign(document.createElement('input'), { type: 'file', id: 'bench-file' })));
    await page.locator('#bench-file').setInputFiles(file);
    return await page.evaluate(putAll, bareWork(await chunkAddresses(service, bytes)));
  } finally {
    await close();
    service.emptyUploads();
  }
}

async function smallByPage(browser: Browser, service: PagesService, folder: string): Promise<number> {
  const { page, close } = await visit(browser, service);
  try {
    await choose(page, 'folder', folder);
    return await send(page);
  } finally {
    await close();
    service.emptyStorage();
  }
}

interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/** Opens the upload page in a fresh profile, without the pickers that give handles: a program cannot operate those. */
async function visit(browser: Browser, { url, subdomain }: PagesService): Promise<Visit> {
  const { page, close } = await openPage(browser, 'about:blank');
  page.setDefaultTimeout(30 * 60_000);
  await page.addInitScript(() => Object.assign(window, { showOpenFilePicker: undefined, showDirectoryPicker: undefined }));
  await page.goto(`${url}/p/${subdomain}`);
  await page.getByRole('button', { name: 'Choose files' }).waitFor();
  return { page, context: page.context(), close };
}

async function choose(page: Page, kind: 'files' | 'folder', path: string): Promise<void> {
  await page.locator(`input[data-kind=${kind}]`).setInputFiles(path);
  await page.locator('.chosen').waitFor();
  await page.getByLabel('Your e-mail address').fill('mia@harbour.example');
  await page.getByLabel('Name of the package').fill('Bench');
}

/** Seconds from the click on `Send` to the receipt. */
async function send(page: Page): Promise<number> {
  const started = performance.now();
  await page.getByRole('button', { name: /^Send\b/ }).click();
  await page.getByRole('heading', { name: 'All sent' }).waitFor();
  return (performance.now() - started) / 1_000;
}
