import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import { sampleSession, sampleTransfer, sampleUnreachable } from '#test/support/browser/samples.ts';
import { inAll } from '#test/support/level.ts';

const here = 'https://share.example.com';
const there = 'https://files.northlight.example';

describeAgentPage(
  'a service that cannot be reached, in a browser',
  { session: sampleSession(), viewport: { width: 1280, height: 800 } },
  ({ open }) => {
    const still = { seconds_left: null } as const;
    /** It moves nothing any more. */
    const stands = { bytes_per_second: 0 } as const;
    const transfers = [
      sampleTransfer({ id: 't1', name: 'Sending there', service_url: here, position: 1, ...still }),
      sampleTransfer({ id: 't2', name: 'Queued there', service_url: here, state: 'queued', position: 2, ...still }),
      sampleTransfer({ id: 't3', name: 'Paused there', service_url: here, state: 'paused', position: 3, ...still }),
      sampleTransfer({ id: 't4', name: 'Moves elsewhere', service_url: there, position: 4 }),
    ];
    /** Of a countdown that does not end while it is looked at. */
    const later = (): { readonly next_try_at: string } => ({ next_try_at: new Date(Date.now() + 900_000).toISOString() });
    const states = (page: Page) => page.getByRole('list', { name: 'Transfers' }).locator('.state').allTextContents();

    it('is told once, with what waits, when it is tried next, and a way to try now, and so do its rows and the side bar', async () => {
      const { agent, page } = await open({ transfers });
      await page.getByText('Agent running').waitFor();
      await expect.poll(() => states(page)).toEqual(['Sending', 'Queued', 'Paused', 'Sending']);
      agent.change('t1', stands);
      agent.tellServices([sampleUnreachable(later())]);
      const banner = page.getByRole('region', { name: 'share.example.com cannot be reached.' });
      await banner.getByText('2 transfers wait and will go on by themselves.').waitFor();
      await banner.getByText(/ECONNREFUSED/).waitFor();
      await expect.poll(() => states(page)).toEqual(['Waiting', 'Waiting', 'Paused', 'Sending']);
      await page.getByText('Service not reachable').waitFor();
      expect(await page.getByText('Agent running').count()).toBe(0);
      expect(await page.locator('.agent-state .dot').getAttribute('class')).toBe('dot dot-warn');

      // It counts down, and nobody who hears the page is told each second.
      const figure = banner.getByText(/^Next try in \d+ s$/);
      const seconds = async () => Number(/\d+/.exec((await figure.textContent()) ?? '')?.[0]);
      const first = await seconds();
      await expect.poll(seconds).toBeLessThan(first);
      expect(await banner.getByRole('alert').textContent()).not.toContain('Next try');
      expect(await axeFindings(page)).toEqual([]);

      agent.tryNow = () => {
        agent.tellServices([]);
        agent.change('t1', { bytes_per_second: 1_000_000 });
      };
      await banner.getByRole('button', { name: 'Try now' }).click();
      await banner.waitFor({ state: 'detached' });
      expect(agent.calls.filter(({ path }) => path === '/api/v1/transfers/try_now').map(({ method }) => method)).toEqual(['PUT']);
      await expect.poll(() => states(page)).toEqual(['Sending', 'Queued', 'Paused', 'Sending']);
      await page.getByText('Agent running').waitFor();
    });

    it(
      'shares one line with others, and says so on the page of one transfer',
      inAll('one that is told with what waits; renderer-scenes looks at several'),
      async () => {
        const { agent, page } = await open({ transfers });
        agent.change('t1', stands);
        agent.tellServices([sampleUnreachable(), sampleUnreachable({ service_url: there, transfers: 1 })]);
        const banner = page.getByRole('region', { name: 'share.example.com and files.northlight.example cannot be reached.' });
        await banner.getByText('3 transfers wait').waitFor();
        expect(await page.locator('.banner').count()).toBe(1);
        // What moves still does not wait.
        await expect.poll(() => states(page)).toEqual(['Waiting', 'Waiting', 'Paused', 'Sending']);
        await page.getByRole('link', { name: 'Queued there' }).click();
        await page.getByRole('heading', { name: 'Queued there' }).waitFor();
        await page.getByText('Waiting', { exact: true }).first().waitFor();
        await page.getByText('share.example.com cannot be reached.', { exact: true }).last().waitFor();
      },
    );

    it('is known at once where the page is opened late, reads in German, and gives way to an agent that is gone', async () => {
      const { agent, page } = await open(
        { transfers },
        {
          prepare(fake) {
            fake.unreachable = [sampleUnreachable({ transfers: 1, ...later() })];
            fake.settings = { ...fake.settings, language: 'de' };
          },
          viewport: { width: 390, height: 844 },
        },
      );
      const banner = page.getByRole('region', { name: 'share.example.com ist nicht zu erreichen.' });
      await banner.getByText('1 Übertragung wartet und geht von selbst weiter.').waitFor();
      await banner.getByText(/^Nächster Versuch in \d+ s$/).waitFor();
      await banner.getByText('Der Dienst unter https://share.example.com ist nicht zu erreichen', { exact: false }).last().waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      await agent.stop();
      await page.getByText('Keine Verbindung zum Agenten.').waitFor();
      await banner.waitFor({ state: 'detached' });
    });
  },
);
