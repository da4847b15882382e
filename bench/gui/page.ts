import type { Browser, Page } from 'playwright-core';
import type { AgentClient } from '#client/agent.ts';
import type { PageFound, Scrolled } from '../report/gui.ts';

interface PageOptions {
  readonly browser: Browser;
  readonly url: string;
  readonly client: AgentClient;
  readonly transfers: number;
  readonly visits: number;
  readonly quick: boolean;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Pixels a second: somebody reads along, somebody turns the wheel hard; and then somebody drags the bar from end to end. */
const paces = [
  { name: 'reading along, six rows a second', pixels: 408 },
  { name: 'the wheel, 180 rows a second', pixels: 12_240 },
] as const;
const rowPixels = 68;
/** Milliseconds of each: a machine that shows few frames is not measured for longer. */
const stretch = { full: 10_000, quick: 1_000 } as const;
/** Milliseconds after which what does not come about is a fault. */
const patience = 30_000;

export async function measurePage({ browser, url, client, transfers, visits, quick, say, signal }: PageOptions): Promise<PageFound> {
  const paintSeconds: number[] = [];
  const rowsSeconds: number[] = [];
  for (let visited = 0; visited < visits; visited++) {
    signal.throwIfAborted();
    const { page, close } = await visit(browser, url);
    const { paint, rows } = await page.evaluate(readTimes);
    paintSeconds.push(paint / 1_000);
    rowsSeconds.push(rows / 1_000);
    await close();
  }
  say(
    `GUI: first paint ${paintSeconds.map((one) => one.toFixed(2)).join(', ')} s; rows ${rowsSeconds.map((one) => one.toFixed(2)).join(', ')} s.`,
  );
  const { page, close } = await visit(browser, url);
  try {
    const milliseconds = quick ? stretch.quick : stretch.full;
    const scrolls: Scrolled[] = [];
    const bar = { name: 'the bar, from end to end', pixels: (transfers * rowPixels * 1_000) / milliseconds };
    for (const { name, pixels } of [...paces, bar]) {
      signal.throwIfAborted();
      scrolls.push({ name, ...(await page.evaluate(scrollBy, { milliseconds, pixels, patience })) });
      say(`GUI: ${JSON.stringify(scrolls.at(-1))}`);
    }
    const latencyMs = await latencies(page, client, quick ? 5 : 50, signal);
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return { paintSeconds, rowsSeconds, scrolls, latencyMs, heapBytes: usedSize, rowsInPage: await page.locator('.row-slot').count() };
  } finally {
    await close();
  }
}

async function visit(browser: Browser, url: string) {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, locale: 'en-GB' });
  const page = await context.newPage();
  await page.addInitScript(watchForRows);
  await page.goto(`${url}/`);
  await page.locator('.row-name').first().waitFor();
  return { page, close: () => context.close() };
}

/** What runs in the page has to stand alone. */
function watchForRows(): void {
  const watcher = new MutationObserver(() => {
    if (!document.querySelector('.row-name')) return;
    watcher.disconnect();
    requestAnimationFrame(() => performance.mark('rows'));
  });
  watcher.observe(document, { childList: true, subtree: true });
}

async function readTimes(): Promise<{ paint: number; rows: number }> {
  const stamp = (name: string): number => performance.getEntriesByName(name)[0]?.startTime ?? Number.NaN;
  while (Number.isNaN(stamp('rows')) || Number.isNaN(stamp('first-contentful-paint'))) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  return { paint: stamp('first-contentful-paint'), rows: stamp('rows') };
}

interface Pace {
  readonly milliseconds: number;
  /** A second. */
  readonly pixels: number;
  readonly patience: number;
}

async function scrollBy({ milliseconds, pixels, patience }: Pace): Promise<Omit<Scrolled, 'name'>> {
  const box = document.querySelector('.rows')!;
  const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
  box.scrollTop = 0;
  for (let settle = 0; settle < 30; settle++) await frame();
  let last = await frame();
  let dropped = 0;
  let longestMs = 0;
  let frames = 0;
  for (const began = last; last - began < milliseconds; frames++) {
    box.scrollTop = ((last - began) / 1_000) * pixels;
    const now = await frame();
    const took = now - last;
    last = now;
    longestMs = Math.max(longestMs, took);
    // At 60 a second; half a frame is the clock's own uncertainty.
    dropped += Math.max(0, Math.round(took / (1_000 / 60)) - 1);
  }
  const stopped = performance.now();
  while (document.querySelector('.rows .row-to-come')) {
    if (performance.now() - stopped > patience) throw new Error('Rows in sight never came.');
    await frame();
  }
  return { frames, dropped, longestMs, filledMs: performance.now() - stopped };
}

/** A change that shows in its row: the priority of one that is in sight. */
async function latencies(page: Page, client: AgentClient, times: number, signal: AbortSignal): Promise<number[]> {
  await page.locator('.rows').evaluate((box) => box.scrollTo(0, 0));
  const href = (await page.locator('.row-name').first().getAttribute('href'))!;
  const id = href.split('/').at(-1)!;
  const found: number[] = [];
  let high = false;
  for (let time = 0; time < times; time++) {
    signal.throwIfAborted();
    high = !high;
    // The row stays first: no other transfer has high priority.
    const shown = page.evaluate(whenPriorityShows, { href, high, patience });
    const asked = Date.now();
    await client.call('changeTransfer', { params: { id }, body: { priority: high ? 'high' : 'normal' }, signal });
    found.push((await shown) - asked);
  }
  return found;
}

/** When it was painted, by the clock that all processes of a machine share. */
function whenPriorityShows({ href, high, patience }: { href: string; high: boolean; patience: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = Date.now();
    const look = (): void => {
      const row = document.querySelector(`.row-name[href="${href}"]`)?.closest('.row');
      if (row && (row.querySelector('.row-priority') !== null) === high) resolve(Date.now());
      else if (Date.now() - began > patience) reject(new Error('A change never showed.'));
      else requestAnimationFrame(look);
    };
    look();
  });
}
