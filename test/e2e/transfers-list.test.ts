import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import { sampleFile, sampleSession, sampleTransfer } from '#test/support/browser/samples.ts';
import { countWakeLocks, wakeLocksOf } from '#test/support/browser/wake-locks.ts';
import { inAll } from '#test/support/level.ts';
import { due } from './deadline-scenes.ts';

/** A loaded machine is slow, and that is no failure. */
const patiently = { timeout: 30_000 };

describeAgentPage(
  'the list of transfers in a browser',
  { session: sampleSession(), viewport: { width: 1280, height: 800 } },
  ({ open }) => {
    const names = (page: Page): Promise<string[]> => page.getByRole('list', { name: 'Transfers' }).locator('.row-name').allTextContents();
    const queue = ['One', 'Two', 'Three', 'Four'].map((name, index) =>
      sampleTransfer({ id: `t${index}`, name, state: 'paused', position: index + 1, bytes_per_second: 0, seconds_left: null }),
    );

    it('follows a transfer live', async () => {
      const { agent, page } = await open({});
      await page.getByText('Nothing on the move').waitFor();
      agent.add(sampleTransfer({ bytes: 0, total_bytes: 1_000_000_000, bytes_per_second: 0, seconds_left: null }));
      const bar = page.getByRole('progressbar', { name: 'Progress of Dailies, day 12' });
      await bar.waitFor();
      const lists = () => agent.calls.filter(({ path }) => path === '/api/v1/transfers').length;
      const asked = lists();
      agent.change('transfer-1', { bytes: 250_000_000, bytes_per_second: 112_000_000, seconds_left: 7 });
      await page.getByText('112 MB/s', { exact: true }).waitFor();
      await page.getByText('7 s left').waitFor();
      expect(await bar.getAttribute('aria-valuenow')).toBe('25');
      // Progress is told, not asked for.
      expect(lists()).toBe(asked);
      agent.change('transfer-1', { waiting: { reason: 'the service cannot be reached' }, bytes_per_second: 0, seconds_left: null });
      await page.getByText('The service cannot be reached.', { exact: true }).waitFor();
      agent.change('transfer-1', { state: 'error', waiting: null, error: { code: 1, message: 'The card is gone.', retryable: false } });
      await page.getByText('The card is gone.', { exact: true }).waitFor();
      await page.getByRole('status').getByText('Dailies, day 12: failed. The card is gone.').waitFor({ state: 'attached' });
    });

    it('keeps the screen awake while transfers move, and no longer', inAll('unit/ui/screen-awake; e2e/portal-sending'), async () => {
      const { agent, page } = await open({ transfers: [sampleTransfer({ state: 'paused', bytes_per_second: 0 })] });
      await countWakeLocks(page);
      await page.reload();
      await page.getByText('Dailies, day 12').first().waitFor();
      expect(await wakeLocksOf(page)).toEqual({ asked: 0, active: 0 });
      agent.change('transfer-1', { state: 'transferring', bytes_per_second: 112_000_000 });
      await expect.poll(() => wakeLocksOf(page), patiently).toEqual({ asked: 1, active: 1 });
      agent.change('transfer-1', { state: 'complete', finished_at: '2026-11-20T09:00:00.000Z' });
      await expect.poll(() => wakeLocksOf(page), patiently).toEqual({ asked: 1, active: 0 });
    });

    it('says when the agent has gone, and catches up by itself when it is back', async () => {
      const { agent, page } = await open({ transfers: [sampleTransfer()] });
      await page.getByText('112 MB/s', { exact: true }).waitFor();
      await agent.stop();
      await page.getByText('Not connected to the agent.').waitFor();
      expect(await page.getByText('112 MB/s', { exact: true }).count()).toBe(0);
      agent.transfers.set('transfer-1', sampleTransfer({ state: 'complete', finished_at: '2026-11-20T09:00:00.000Z' }));
      agent.transfers.set('transfer-2', sampleTransfer({ id: 'transfer-2', name: 'Never told', state: 'queued', position: 2 }));
      await agent.start();
      await page.getByText('Not connected to the agent.').waitFor({ state: 'detached' });
      await page.getByText('Sent', { exact: true }).last().waitFor();
      await page.getByText('Never told').waitFor();
      agent.transfers.delete('transfer-2');
      agent.emit({ type: 'events.lost' });
      await page.getByText('Never told').waitFor({ state: 'detached' });
    });

    it('cancels after a moment in which that can be taken back', async () => {
      const { agent, page } = await open({ transfers: [sampleTransfer()] });
      const cancel = page.getByRole('button', { name: 'Cancel: Dailies, day 12' });
      await cancel.click();
      await page.getByText('Dailies, day 12 will be cancelled. What was sent will be deleted from the service.').waitFor();
      // Near the row; the message at the foot has the same.
      await page.getByRole('button', { name: 'Undo: Dailies, day 12' }).click();
      await page.getByText('will be cancelled').waitFor({ state: 'detached' });
      expect(await cancel.isEnabled()).toBe(true);
      await cancel.click();
      expect(agent.calls.filter(({ path }) => path.endsWith('/batch'))).toEqual([]);
      // Going away takes nothing back.
      await page.goto('about:blank');
      await expect.poll(() => agent.transfers.get('transfer-1')?.state, patiently).toBe('cancelled');
      expect(agent.calls.filter(({ path }) => path.endsWith('/batch')).map(({ body }) => body)).toEqual([
        { action: 'cancel', ids: ['transfer-1'] },
      ]);
    });

    it('finds, filters and counts, and keeps what was looked for on the way to one and back', async () => {
      const { page } = await open({
        transfers: [
          ...queue,
          sampleTransfer({ id: 'd', name: 'Stems', kind: 'download', state: 'complete', finished_at: '2026-11-20T09:00:00.000Z' }),
          sampleTransfer({ id: 'f', name: 'Two again', state: 'error', position: 9 }),
        ],
      });
      await page.getByText('Stems').waitFor();
      await page.getByText('Done 1').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('two');
      await expect.poll(() => names(page), patiently).toEqual(['Two', 'Two again']);
      await page.locator('.show-option').getByText('Needs you 1').click();
      await expect.poll(() => names(page), patiently).toEqual(['Two again']);
      await page.getByRole('link', { name: 'Two again' }).click();
      await page.getByRole('heading', { name: 'Two again' }).waitFor();
      await page.getByRole('link', { name: 'All transfers' }).click();
      await expect.poll(() => names(page), patiently).toEqual(['Two again']);
      await page.getByRole('searchbox').fill('nothing like it');
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.getByLabel('Direction').selectOption('download');
      await expect.poll(() => names(page), patiently).toEqual(['Stems']);
    });

    it(
      'counts what has come to its end in the moment that its row says so, and what still queues',
      inAll('unit/renderer/transfers/list-store'),
      async () => {
        const queued = sampleTransfer({ id: 't2', name: 'Queues', state: 'queued', position: 2, bytes: 0, total_bytes: 1_900_000_000 });
        const { agent, page } = await open({ transfers: [sampleTransfer({ bytes: 0, total_bytes: 2_300_000_000 }), queued] });
        await page.getByText('4.2 GB to go at', { exact: false }).waitFor();
        await page.getByText('Active 2').waitFor();
        // No later answer says it: the event alone does.
        agent.before = (path) => (path.endsWith('/summary') ? new Promise(() => {}) : undefined);
        agent.change('transfer-1', { state: 'complete', bytes: 2_300_000_000, finished_at: '2026-11-20T09:00:00.000Z' });
        await page.getByText('Sent', { exact: true }).waitFor();
        expect(await page.locator('.show-option').allTextContents()).toEqual(['All 2', 'Needs you 0', 'Active 1', 'Done 1']);
      },
    );

    it('does one thing to many, by checkboxes, a range, or all that match', async () => {
      const { agent, page } = await open({ transfers: queue });
      const top = async () => (await page.getByRole('link', { name: 'One' }).boundingBox())?.y;
      const before = await top();
      await page.getByRole('checkbox', { name: 'Select One' }).click();
      // The rows stay under the pointer, wide or narrow, and what is offered is what these can do.
      const bar = page.getByRole('region', { name: 'Selected transfers' });
      expect((await bar.getByRole('button').allTextContents()).map((text) => text.trim())).toEqual([
        '',
        'Select all 4',
        'Resume',
        'Cancel',
      ]);
      expect(await top()).toBe(before);
      await page.setViewportSize({ width: 390, height: 844 });
      const narrow = await top();
      await bar.getByRole('button', { name: 'Clear the selection' }).click();
      await bar.waitFor({ state: 'detached' });
      expect(await top()).toBe(narrow);
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.getByRole('checkbox', { name: 'Select One' }).click();
      await page.getByRole('checkbox', { name: 'Select Three' }).click({ modifiers: ['Shift'] });
      await page.getByText('3 selected').waitFor();
      await page.getByRole('button', { name: 'Resume', exact: true }).click();
      await page.getByText('3 transfers go on.').waitFor();
      expect([...agent.transfers.values()].map(({ state }) => state)).toEqual(['queued', 'queued', 'queued', 'paused']);
      await page.getByRole('checkbox', { name: 'Select Two' }).click();
      await page.getByRole('button', { name: 'Select all 4' }).click();
      await page.getByRole('checkbox', { name: 'Select Two' }).click();
      await page.getByText('3 selected').waitFor();
      await page.getByLabel('Priority').selectOption('high');
      await expect.poll(() => agent.transfers.get('t0')?.priority, patiently).toBe('high');
      expect(agent.transfers.get('t1')?.priority).toBe('normal');
      expect(agent.calls.filter(({ path }) => path.endsWith('/batch')).at(-1)?.body).toEqual({
        action: 'priority',
        priority: 'high',
        matching: { over_since: expect.any(String) },
        except: ['t1'],
      });
    });

    it('is worked by the keyboard alone', async () => {
      const { agent, page } = await open({ transfers: queue });
      await page.getByRole('link', { name: 'One' }).focus();
      await page.keyboard.press('ArrowDown');
      const focused = () => page.evaluate(() => document.activeElement?.textContent);
      await expect.poll(focused, patiently).toBe('Two');
      await page.keyboard.press('p');
      await expect.poll(() => agent.transfers.get('t1')?.state, patiently).toBe('queued');
      await page.keyboard.press('Space');
      await page.keyboard.press('Shift+ArrowDown');
      await page.getByText('2 selected').waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('2 selected').waitFor({ state: 'detached' });
      await page.keyboard.press('Alt+ArrowUp');
      const asked = () => agent.calls.filter(({ method }) => method === 'PATCH').map(({ path, body }) => [path.split('/').at(-1), body]);
      await expect.poll(asked, patiently).toEqual([['t2', { position: 2 }]]);
      await page.getByText('Three is now number 2 of 4.').waitFor();
      await page.keyboard.press('End');
      await expect.poll(focused, patiently).toBe('Four');
      await page.keyboard.press('Delete');
      await page.getByText('Four will be cancelled.').waitFor();
      await page.keyboard.press('Control+z');
      await page.getByText('Four will be cancelled.').waitFor({ state: 'detached' });
      await page.getByText('Undone.').waitFor();
      await page.getByRole('searchbox').fill('x');
      await page.keyboard.press('Control+z');
      expect(agent.transfers.get('t3')?.state).toBe('paused');
      await page.getByRole('searchbox').fill('');
      await page.getByRole('button', { name: 'More for Four' }).click();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      expect(await focused()).toBe('Move to the top');
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('menu').count(), patiently).toBe(0);
      expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('More for Four');
    });

    it('keeps press and focus with their transfer, whatever moves meanwhile', async () => {
      const { agent, page } = await open({ transfers: queue });
      await page.getByRole('button', { name: 'Cancel: Two' }).hover();
      await page.mouse.down();
      agent.change('t3', { priority: 'high' });
      await expect.poll(() => names(page), patiently).toEqual(['Four', 'One', 'Two', 'Three']);
      // Where Two was, One is now.
      await page.mouse.up();
      expect(await page.getByText('will be cancelled').count()).toBe(0);
      await page.getByRole('link', { name: 'Two' }).focus();
      const focused = () => page.evaluate(() => document.activeElement?.textContent);
      agent.change('t3', { priority: 'low' });
      await expect.poll(() => names(page), patiently).toEqual(['One', 'Two', 'Three', 'Four']);
      expect(await focused()).toBe('Two');
      await page.keyboard.press('p');
      await expect.poll(() => agent.transfers.get('t1')?.state, patiently).toBe('queued');
      await page.keyboard.press('ArrowDown');
      expect(await focused()).toBe('Three');
      agent.remove('t2');
      await expect.poll(() => names(page), patiently).toEqual(['One', 'Two', 'Four']);
      expect(await focused()).toBe('Four');
    });

    it(
      'moves a transfer in the queue by dragging it, and back where that is taken back',
      inAll('by the keyboard alone; unit/renderer/transfers/move'),
      async () => {
        const { agent, page } = await open({ transfers: queue });
        const moves = () => agent.calls.filter(({ method }) => method === 'PATCH').map(({ body }) => body);
        await page.getByRole('link', { name: 'Four' }).hover();
        const grip = page.getByTitle('Move Four in the queue');
        const first = page.getByRole('link', { name: 'One' });
        await grip.dragTo(first, { targetPosition: { x: 4, y: 1 } });
        await expect.poll(moves, patiently).toEqual([{ position: 1 }]);
        await page.getByText('Four is now number 1 of 4.').waitFor();
        await page.getByRole('button', { name: 'Undo' }).click();
        await expect.poll(moves, patiently).toEqual([{ position: 1 }, { position: 4 }]);
        await page.getByRole('button', { name: 'More for One' }).click();
        await page.getByRole('menuitem', { name: 'Move down' }).click();
        await page.getByText('One is now number 2 of 4.').waitFor();
        await page.getByRole('button', { name: 'More for Two' }).click();
        await page.getByRole('menuitem', { name: 'Move to the end' }).click();
        await page.getByText('Two is now the last of its priority.').waitFor();
      },
    );

    it('shows all about one at an address of its own', async () => {
      const spent = {
        elapsed: 100,
        reading: 5,
        hashing: 5,
        writing: 0,
        network: 80,
        limit: 0,
        server: 5,
        waiting: 5,
        slowest: 'network',
      } as const;
      const transfer = sampleTransfer({
        time_spent: spent,
        links: [{ email: 'post@studio.example', url: 'https://share.example.com/d/1?secret=2' }],
      });
      const files = Array.from({ length: 1_000 }, (_, index) => sampleFile({ id: `f${index}`, name: `clip-${index}.mov` }));
      const log = [
        { at: '2026-11-20T08:00:00.000Z', event: 'started', detail: '' },
        { at: '2026-11-20T08:02:00.000Z', event: 'waiting', detail: 'the network is gone' },
      ] as const;
      const { agent, page } = await open({ transfers: [transfer], files, log: [...log] }, { path: '#/transfers/transfer-1' });
      await page.getByRole('heading', { name: 'Dailies, day 12', level: 1 }).waitFor();
      await page.getByText('Just now the network is the slowest part.').waitFor();
      await page.getByText('The network: 80%').waitFor();
      await page.getByText('The network is gone.').waitFor();
      await page.getByText('clip-0.mov').waitFor();
      expect(await page.locator('.file-row').count()).toBeLessThan(60);
      await page.locator('.file-rows').evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await page.getByText('clip-999.mov').waitFor();
      await expect.poll(() => agent.followers, patiently).toBe(1);
      for (let step = 1; step <= 4; step++) {
        agent.change('transfer-1', { bytes_per_second: step * 10_000_000 });
        await page.getByText(`${step * 10} MB/s`, { exact: true }).waitFor();
        await page.waitForTimeout(120);
      }
      await page.getByRole('img', { name: /^Speed over the last minutes; now 40 MB\/s/ }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.getByLabel('Megabytes a second').fill('2,5');
      await page.getByRole('button', { name: 'Set', exact: true }).click();
      await page.getByText('The limit is set.').waitFor();
      expect(agent.calls.filter(({ method }) => method === 'PATCH').at(-1)?.body).toEqual({ rate_limit_bps: 2_500_000 });
      agent.remove('transfer-1');
      await page.getByText('This transfer is not on the list').waitFor();
    });

    it(
      'shows the deadline of one in its row, and sets it on its page',
      inAll('integration/engine-deadlines; unit/renderer/transfers/typed-moment'),
      async () => {
        const { agent, page } = await open({ transfers: [sampleTransfer({ deadline: due('at_risk', 20) })] });
        await page.getByText(/^Due .*2027/).waitFor();
        await page.getByRole('link', { name: 'Dailies, day 12' }).click();
        await page.getByText('It would be late at its share of the line.').waitFor();
        const field = page.getByLabel('Should be over by');
        await field.fill('2020-01-01T00:00');
        await page.getByRole('button', { name: 'Set the deadline' }).click();
        await page.getByText('Give a time that lies ahead, or nothing.').waitFor();
        expect(await axeFindings(page)).toEqual([]);
        await field.fill('');
        await page.getByRole('button', { name: 'Set the deadline' }).click();
        await page.getByText('The deadline is set.').waitFor();
        expect(agent.calls.filter(({ method }) => method === 'PATCH').map(({ body }) => body)).toEqual([{ due_at: null }]);
      },
    );

    it('shows what became of one while nobody looked at it', inAll('a list that catches up when the agent is back'), async () => {
      const { agent, page } = await open({ transfers: [sampleTransfer()] }, { path: '#/transfers/transfer-1' });
      await page.getByText('Sending').waitFor();
      await page.getByText('Nothing was written down').waitFor();
      await page.getByRole('link', { name: 'All transfers' }).click();
      await page.getByRole('link', { name: 'Dailies, day 12' }).waitFor();
      agent.change('transfer-1', { waiting: { reason: 'the network is gone' }, bytes_per_second: 0 });
      agent.log = [
        { at: '2026-11-20T08:02:00.000Z', event: 'waiting', detail: 'the network is gone' },
        { at: '2026-11-20T08:03:00.000Z', event: 'going_on', detail: '' },
      ];
      agent.change('transfer-1', { waiting: null, bytes: 80_000_000_000 });
      await page.getByText('80 GB of').waitFor();
      await page.getByRole('navigation').getByRole('link', { name: 'History' }).click();
      await page.getByRole('heading', { name: 'History' }).waitFor();
      agent.change('transfer-1', { bytes: 90_000_000_000 });
      await page.evaluate(() => location.assign('#/transfers/transfer-1'));
      await page.getByText('90 GB of').waitFor();
      // Its log is of the same state as before, and longer.
      await page.getByText('Goes on').waitFor();
    });

    it(
      'speaks German to whoever does, whose longer words fit a phone too',
      inAll('renderer-scenes in German, and transfer-rows'),
      async () => {
        const { page } = await open({ transfers: [sampleTransfer()] }, { locale: 'de-DE' });
        await page.getByText('Wird gesendet').waitFor();
        await page.setViewportSize({ width: 360, height: 740 });
        const tooWide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(await tooWide()).toBeLessThanOrEqual(0);
        await page.getByRole('link', { name: 'Dailies, day 12' }).click();
        await page.getByText('Was geschah').waitFor();
        expect(await tooWide()).toBeLessThanOrEqual(0);
      },
    );

    it(
      'is accessible, wide and narrow, light and dark, with rows chosen and a menu open',
      inAll('the same list in renderer-scenes and transfer-rows'),
      async () => {
        const { page } = await open({ transfers: [sampleTransfer(), ...queue] }, { reducedMotion: 'reduce', colorScheme: 'light' });
        await page.getByText('Sending').waitFor();
        expect(await axeFindings(page)).toEqual([]);
        await page.getByRole('checkbox', { name: 'Select Two' }).click();
        await page.getByRole('button', { name: 'Cancel: One' }).click();
        // For as long as the focus is there, it can be taken back.
        await page.locator('.toast').getByRole('button').focus();
        expect(await axeFindings(page)).toEqual([]);
        await page.emulateMedia({ colorScheme: 'dark' });
        expect(await axeFindings(page, ['color-contrast'])).toEqual([]);
        await page.getByRole('button', { name: 'Undo: One' }).click();
        await page.getByRole('button', { name: 'More for Two' }).click();
        expect(await axeFindings(page)).toEqual([]);
        await page.keyboard.press('Escape');
        await page.setViewportSize({ width: 360, height: 740 });
        expect(await axeFindings(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      },
    );
  },
);
