import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentError } from '#protocol/errors.ts';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import type { FakeAgent } from '#test/support/browser/fake-agent.ts';
import { lookEverywhere } from '#test/support/browser/looks.ts';
import { openRealAgentPage, type RealAgentPage } from '#test/support/browser/real-agent-page.ts';
import { sampleSession } from '#test/support/browser/samples.ts';
import { transferWhen } from '#test/support/engine/start-engine.ts';
import { inAll } from '#test/support/level.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** What is dropped on the page in a browser and lies in no allowed folder. */

describeInBrowser('dropped on the page of a real agent', (browserOf) => {
  let real: RealAgentPage;
  let elsewhere: Awaited<ReturnType<typeof tempFolder>>;

  beforeAll(async () => {
    elsewhere = await tempFolder();
    mkdirSync(join(elsewhere.path, 'A001', 'clips'), { recursive: true });
    mkdirSync(join(elsewhere.path, 'A001', 'empty'));
    writeFileSync(join(elsewhere.path, 'A001', 'clips', 'one.mov'), Buffer.alloc(9 * 1024 * 1024, 7));
    writeFileSync(join(elsewhere.path, 'A001', 'note.txt'), 'hello');
    real = await openRealAgentPage(browserOf(), '', () => {});
  });
  afterAll(async () => {
    await real?.close();
    await elsewhere?.remove();
  });

  it('a folder that the agent may not read is sent by the browser, uploaded whole, and leaves nothing behind', async () => {
    const { page, agent } = real;
    await page.getByRole('heading', { name: 'Nothing on the move' }).waitFor();
    const devtools = await page.context().newCDPSession(page);
    const data = { items: [], files: [join(elsewhere.path, 'A001')], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await devtools.send('Input.dispatchDragEvent', { type, x: 640, y: 500, data });
    }
    const send = page.getByRole('dialog', { name: 'Send files' });
    await send.getByText('sent by the browser').waitFor();
    await send.getByRole('radio', { name: 'As a link' }).check();
    await send.getByRole('button', { name: 'Send and make a link' }).click();
    await send.waitFor({ state: 'detached' });
    const { records } = await agent.engine.transfers.list('upload', { page: 1, limit: 10 });
    expect(records).toHaveLength(1);
    const sent = await transferWhen(agent.engine, records[0]!.id, ({ state }) => ['complete', 'error'].includes(state));
    expect(sent).toMatchObject({ state: 'complete', name: 'A001', total_bytes: 9 * 1024 * 1024 + 5 });
    const files = await agent.engine.transfers.files(sent.id, { page: 1, limit: 10 });
    expect(files.records.map(({ path, name, kind }) => `${kind} ${path}/${name}`).sort()).toEqual([
      'directory A001/empty',
      'file A001/clips/one.mov',
      'file A001/note.txt',
    ]);
    await expect.poll(() => readdirSync(real.at('agent', 'drops')), { timeout: 20_000 }).toEqual([]);
  });
});

describeAgentPage('dropped on the page', { session: sampleSession(), viewport: { width: 1_440, height: 900 } }, ({ open }) => {
  const pick = (page: Page) =>
    page
      .locator('dialog input[type="file"]')
      .setInputFiles([{ name: 'A001C001.mov', mimeType: 'video/quicktime', buffer: Buffer.alloc(3 * 1024 * 1024) }]);

  /** The language of the settings, as another window changes it. */
  const speak = async (agent: FakeAgent, page: Page, language: 'en' | 'de'): Promise<void> => {
    agent.settings = { ...agent.settings, language };
    agent.tellSettings();
    await page.getByRole('dialog', { name: language === 'de' ? 'Dateien senden' : 'Send files' }).waitFor();
  };

  describe('what the browser sends', () => {
    it('is deleted at the agent at once when a person starts over', async () => {
      const { agent, page } = await open();
      await page.getByRole('button', { name: 'Send files' }).first().click();
      await pick(page);
      await page.getByRole('button', { name: 'Remove A001C001.mov' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Send files' }).first().click();
      await page.getByRole('button', { name: 'Start over' }).click();
      await expect.poll(() => agent.drops.deleted).toBe(1);
    });

    it(
      'is seen on its way in every look, keeps from sending, and is taken away',
      inAll('a folder that the browser sends; what says why there is no room'),
      async () => {
        let go = (): void => {};
        const { agent, page } = await open(
          {},
          {
            reducedMotion: 'reduce',
            prepare: (fake) => {
              fake.drops.gate = new Promise((resolve) => {
                go = resolve;
              });
            },
          },
        );
        await page.getByRole('button', { name: 'Send files' }).first().click();
        await pick(page);
        await page.getByText(/of 3(\.1)? MB sent to the agent/).waitFor();
        await page.getByRole('radio', { name: 'As a link' }).check();
        await page.getByRole('button', { name: 'Send and make a link' }).click();
        await page.getByText('Not all of it is at the agent yet.').waitFor();
        expect(await lookEverywhere(page, { translate: () => speak(agent, page, 'de') })).toEqual([]);
        await speak(agent, page, 'en');
        await page.getByRole('button', { name: 'Do not send A001C001.mov' }).click();
        await expect.poll(() => agent.drops.deleted).toBe(1);
        go();
      },
    );

    it('says why there is no room, and goes on when there is', async () => {
      const { agent, page } = await open(
        {},
        {
          reducedMotion: 'reduce',
          prepare: (fake) => {
            fake.drops.refusal = new AgentError('drop_no_room', { missing: 2_400_000_000 });
          },
        },
      );
      await page.getByRole('button', { name: 'Send files' }).first().click();
      await pick(page);
      await page.getByText('has too little room to take this from the browser: 2.4 GB more is needed').waitFor();
      expect(await lookEverywhere(page, { translate: () => speak(agent, page, 'de') })).toEqual([]);
      await speak(agent, page, 'en');
      agent.drops.refusal = null;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('button', { name: 'Remove A001C001.mov' }).waitFor();
    });
  });
});
