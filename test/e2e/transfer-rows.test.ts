import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import type { FakeAgent } from '#test/support/browser/fake-agent.ts';
import { cutButtons, lookEverywhere, sizes } from '#test/support/browser/looks.ts';
import { sampleSession, sampleTransfer } from '#test/support/browser/samples.ts';
import { inAll } from '#test/support/level.ts';

const link = 'https://share.example.com/d/01JD3?secret=abcdefgh';
const still = { bytes_per_second: 0, seconds_left: null } as const;
const names = [
  'VFX plates, sequence 040 to 120, graded and ungraded, with reference stills of every set-up',
  'Camera originals of the second unit with reference stills '.repeat(4).slice(0, 200),
  'مواد التصوير من اليوم الثاني عشر مع الصوت والصور المرجعية',
  '🎬🎥 Trailer 🇩🇪👩‍👩‍👧‍👦 final_final_v12 🚀',
  'A001C001_230101_R1AB_and_a_name_without_any_blank_that_goes_on_and_on_and_on.mov',
];

/** Twenty that run, wait or stand, each with all that a row can show. */
const busy: readonly AgentTransfer[] = Array.from({ length: 20 }, (_, index) => {
  const download = index % 3 === 2;
  return sampleTransfer({
    id: `busy-${index}`,
    name: names[index % names.length]!,
    kind: download ? 'download' : 'upload',
    position: index + 1,
    priority: index % 4 === 0 ? 'high' : index % 4 === 2 ? 'low' : 'normal',
    recipients: download ? [] : ['post@studio.example', 'colour@studio.example', 'sound@studio.example'],
    ...(download ? { url: link, dst_folder: '/media/incoming' } : {}),
    bytes: 43_234_567_890,
    seconds_left: 12_345,
    ...(index % 2 === 0 ? { deadline: { due_at: '2126-12-24T17:53:00.000Z', state: 'at_risk', slack_seconds: null, message: '' } } : {}),
    ...(index % 5 === 3 ? { ...still, waiting: { reason: 'The service cannot be reached.', until: '2126-11-20T08:06:30.000Z' } } : {}),
    ...(index % 5 === 4 ? { ...still, state: 'paused' as const } : {}),
  });
});

const failed: readonly AgentTransfer[] = names.map((name, index) =>
  sampleTransfer({
    id: `failed-${index}`,
    name,
    state: 'error',
    ...still,
    recipients: ['post@studio.example'],
    error: { code: 524289, message: 'There is no file or folder at /media/B002.', retryable: true },
  }),
);

/** Its language is that of the settings, as another window changes it. */
const inGerman =
  (agent: FakeAgent, title: string) =>
  async (page: Page): Promise<void> => {
    agent.settings = { ...agent.settings, language: 'de' };
    agent.tellSettings();
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
  };

/** What is wrong with the rows in sight, one line each: parts over one another, figures that are cut, and buttons for no thumb. */
const faultsOfRows = (page: Page): Promise<string[]> =>
  page.locator('.row').evaluateAll((rows) => {
    const faults: string[] = [];
    for (const row of rows) {
      const name = row.querySelector('.row-name')?.textContent?.slice(0, 20);
      const boxOf = (part: Element) => part.getBoundingClientRect();
      const seen = (selector: string) => [...row.querySelectorAll(selector)].filter((one) => boxOf(one).height > 0);
      const text = boxOf(row.querySelector('.row-text')!);
      for (const one of seen('.fact, .state, .row-due')) {
        const box = boxOf(one);
        if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
          faults.push(`${name}: “${one.textContent}” is cut`);
        if (!one.matches('.row-due') && box.bottom > text.bottom + 1) faults.push(`${name}: “${one.textContent}” is below the text`);
      }
      for (const progress of seen('.row-progress'))
        for (const one of seen('.row-text *')) {
          if (boxOf(one).bottom > boxOf(progress).top + 1 && boxOf(one).right > boxOf(progress).left + 1)
            faults.push(`${name}: “${one.textContent}” is over the progress`);
        }
      for (const one of seen('.row-choose, .row-actions button')) {
        const { width, height } = boxOf(one);
        if (width < 44 || height < 44) faults.push(`${name}: ${one.getAttribute('aria-label') ?? 'the choice'} is ${width} × ${height}`);
      }
    }
    return faults;
  });

describeAgentPage('rows of the agent’s page', { session: sampleSession() }, ({ open }) => {
  it.each([
    ['busy', busy, ''],
    ['failed', failed, '#/needs'],
  ] as const)('have room for all of it in a narrow window: %s', async (_, transfers, path) => {
    const { agent, page } = await open({ transfers }, { path, viewport: sizes.phone, reducedMotion: 'reduce' });
    await page.getByText('VFX plates').first().waitFor();
    expect(await faultsOfRows(page)).toEqual([]);
    await inGerman(agent, 'Übertragungen')(page);
    expect(await faultsOfRows(page)).toEqual([]);
    expect(
      await page
        .locator('.row-name')
        .first()
        .evaluate((one) => one.clientWidth),
    ).toBeGreaterThan(240);
  });

  it('are no higher in a window of middle width than what they hold', async () => {
    const done = sampleTransfer({ id: 'done', name: names[0]!, state: 'complete', ...still });
    const viewport = { width: 900, height: 4_000 };
    const { agent, page } = await open({ transfers: [...busy, ...failed, done] }, { viewport, reducedMotion: 'reduce' });
    await page.getByText('VFX plates').first().waitFor();
    const heights = () => page.locator('.row').evaluateAll((rows) => [...new Set(rows.map((one) => one.getBoundingClientRect().height))]);
    // For a mouse a button may be less high.
    const faults = async () => (await faultsOfRows(page)).filter((fault) => !/ is \d+(\.\d+)? × /.test(fault));
    await expect.poll(heights).toEqual([96]);
    expect(await faults()).toEqual([]);
    await inGerman(agent, 'Übertragungen')(page);
    expect(await faults()).toEqual([]);
    expect(await cutButtons(page)).toEqual([]);
    await page.setViewportSize({ width: 740, height: 4_000 });
    expect(await faults()).toEqual([]);
  });

  it('look well in all looks, with some chosen', inAll('rows that move and rows that failed, in renderer-scenes'), async () => {
    const { agent, page } = await open({ transfers: [...busy, ...failed] }, { reducedMotion: 'reduce' });
    await page.getByRole('checkbox').nth(2).click();
    await page.getByRole('region', { name: 'Selected transfers' }).waitFor();
    expect(await lookEverywhere(page, { translate: inGerman(agent, 'Übertragungen') })).toEqual([]);
    await page.setViewportSize(sizes.phone);
    expect(await cutButtons(page)).toEqual([]);
  });

  it('show whom they go to beside a long name', async () => {
    const { page } = await open({ transfers: busy }, { viewport: sizes.desk });
    const partner = page.locator('.row-head', { hasText: 'VFX plates' }).locator('.row-partner').first();
    await expect.poll(() => partner.evaluate((one) => one.clientWidth)).toBeGreaterThan(90);
  });

  it('are told of above what can be done with the next ones that are chosen', async () => {
    const { page } = await open({ transfers: busy }, { viewport: sizes.phone, reducedMotion: 'reduce' });
    const bar = page.getByRole('region', { name: 'Selected transfers' });
    await page.getByRole('checkbox').nth(0).click();
    await bar.getByRole('button', { name: 'Pause' }).click();
    // It is told for as long as the pointer is there.
    const toast = page.locator('.toast');
    await toast.hover();
    await page.getByRole('checkbox').nth(1).press('Space');
    const box = (await bar.boundingBox())!;
    await expect
      .poll(async () => Math.round((await toast.boundingBox())!.y + (await toast.boundingBox())!.height))
      .toBeLessThanOrEqual(box.y);
  });

  it(
    'are chosen by all of the square before them, with the shift key up to there',
    inAll('checkboxes and a range, in transfers-list'),
    async () => {
      const { page } = await open({ transfers: busy }, { viewport: sizes.phone });
      const square = (index: number) => page.locator('.row-choose').nth(index);
      await square(0).click({ position: { x: 4, y: 4 } });
      await square(2).click({ position: { x: 40, y: 40 }, modifiers: ['Shift'] });
      await page.getByText('3 selected').waitFor();
    },
  );

  it('are told of in the language that the page has by then, and what can be undone still can', async () => {
    const { page, agent } = await open({ transfers: busy }, { viewport: sizes.desk });
    await page
      .locator('.row')
      .first()
      .getByRole('button', { name: /^Cancel/ })
      .click();
    const toast = page.locator('.toast').first();
    // As long as the focus is there, the action waits.
    await toast.getByRole('button', { name: 'Undo' }).focus();
    await inGerman(agent, 'Übertragungen')(page);
    await toast.getByRole('button', { name: 'Rückgängig' }).waitFor();
    await page.keyboard.press('Control+z');
    await expect.poll(() => toast.innerText()).toContain('Rückgängig gemacht');
    await toast.hover();
    agent.settings = { ...agent.settings, language: 'en' };
    agent.tellSettings();
    await expect.poll(() => toast.innerText()).toContain('Undone');
    expect(agent.calls.filter(({ path }) => path === '/api/v1/transfers/batch')).toEqual([]);
  });

  it('keep their undo in reach, wherever a message would come up', async () => {
    const { page } = await open({ transfers: busy }, { path: '#/', reducedMotion: 'reduce' });
    for (const width of [390, 800]) {
      await page.setViewportSize({ width: 1440, height: 480 });
      await page
        .locator('.row')
        .nth(8)
        .getByRole('button', { name: /^Cancel/ })
        .click();
      // For as long as the focus is there, the action waits.
      await page.locator('.toast').getByRole('button').focus();
      await page.setViewportSize({ width, height: 480 });
      const undo = page.locator('.row-undo');
      const toast = page.locator('.toast').first();
      const boxes = async () => ({ of: (await undo.boundingBox())!, message: (await toast.boundingBox())! });
      // The row is scrolled to where the message is by itself.
      await page.evaluate(() => document.querySelector('.row-undo')!.scrollIntoView({ block: 'start' }));
      const { of, message } = await boxes();
      await page.evaluate((by) => scrollBy(0, by), of.y + of.height / 2 - (message.y + message.height / 2));
      await expect
        .poll(async () => {
          const now = await boxes();
          const { of: one, message: other } = now;
          const beside = other.x >= one.x + one.width || other.x + other.width <= one.x;
          const covers = !beside && other.y < one.y + one.height && other.y + other.height > one.y;
          return [Math.round(now.of.y) >= Math.round(message.y) - now.of.height, covers];
        })
        .toEqual([true, false]);
      await undo.click();
      await page.locator('.toast').waitFor({ state: 'detached' });
    }
  });

  it('stand in a history of a thousand, in all looks, found and not found', inAll('rows of twenty transfers in all looks'), async () => {
    const transfers = Array.from({ length: 1000 }, (_, index) => {
      const { kind, name: usual, recipients, url, dst_folder } = busy[index % busy.length]!;
      const name = index % 60 === 7 ? `Stills: ${usual}` : usual;
      const at = new Date(Date.UTC(2026, 10, 20) - index * 7_200_000).toISOString();
      const over = { kind, name, recipients: recipients ?? [], url, dst_folder, created_at: at, finished_at: at } as const;
      return sampleTransfer({ id: `past-${index}`, state: index % 7 === 3 ? 'cancelled' : 'complete', ...still, ...over });
    });
    const { agent, page } = await open({ transfers }, { path: '#/history', reducedMotion: 'reduce' });
    const rows = page.locator('.history-row');
    for (let shown = 100; shown < 300; shown += 100) {
      await expect.poll(() => rows.count()).toBe(shown);
      await page.getByRole('button', { name: /^Show older/ }).click();
    }
    await page.getByRole('button', { name: 'Show older (700 more)' }).waitFor();
    await page.getByLabel('Search names, recipients, Portals and files').fill('Stills: ');
    await expect.poll(() => rows.count()).toBe(17);
    const translate = inGerman(agent, 'Verlauf');
    expect(await lookEverywhere(page, { translate })).toEqual([]);
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('Nichts im Verlauf hat das').waitFor();
    expect(await lookEverywhere(page)).toEqual([]);
  });
});
