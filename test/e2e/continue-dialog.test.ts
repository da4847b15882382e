import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { HandoverMatch, HandoverPreview } from '#protocol/agent/handovers.ts';
import { handoverAddress, openPlace } from '#protocol/deep-link.ts';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import type { FakeAgent } from '#test/support/browser/fake-agent.ts';
import { lookEverywhere } from '#test/support/browser/looks.ts';
import { sampleSession, sampleTransfer } from '#test/support/browser/samples.ts';

const link = handoverAddress('https://share.example.com', 'q4pVb0xZr1k2n3m4o5p6q7r8s9t0u1v2w3x4y5z6A7B');
/** Would run if the page took it for more than text. */
const probe = '<img src=x onerror="document.title=1">';
const upload: HandoverPreview = {
  kind: 'upload',
  service_url: 'https://share.example.com',
  package_name: `Dailies, day 12 ${probe}`,
  sender: 'mia@harbour.example',
  portal_name: 'Northlight',
  files: 214,
  bytes: 731_000_000_000,
  files_sent: 12,
  names: ['A001', 'A002', 'A-very-long-name-of-a-camera-card-that-is-longer-than-a-phone-is-wide-0123456789', probe],
};
const someChanged: HandoverMatch = {
  found: 190,
  changed: 9,
  missing: 3,
  sent: 12,
  others: [
    ...Array.from({ length: 9 }, (_, index) => ({
      path: `A001/clips/A001C00${index}_230412_R1XY ${probe}.mov`,
      state: 'changed' as const,
    })),
    ...['a', 'b', 'c'].map((name) => ({ path: `A002/${name}.wav`, state: 'missing' as const })),
  ],
};

describeAgentPage('going on with what a browser began', { session: sampleSession() }, ({ open }) => {
  async function openDialog(preview: HandoverPreview, match: HandoverMatch) {
    const bodies: unknown[] = [];
    const { agent, page } = await open({}, { reducedMotion: 'reduce' });
    await page.route('**/api/v1/handovers/preview', (route) => route.fulfill({ json: preview }));
    await page.route('**/api/v1/handovers/match', (route) => route.fulfill({ json: match }));
    await page.route('**/api/v1/handovers', (route) => {
      bodies.push(route.request().postDataJSON());
      return route.fulfill({ status: 201, json: sampleTransfer() });
    });
    await page.evaluate((place) => location.assign(place), openPlace(link));
    return { agent, page, bodies };
  }

  /** The language is a setting of the agent, so that a dialog stays open while it changes. */
  const inGerman = (agent: FakeAgent) => async (page: Page) => {
    agent.settings = { ...agent.settings, language: 'de' };
    agent.tellSettings();
    await page.getByRole('heading', { name: 'Hier weiter senden' }).waitFor();
  };

  it('asks first, then shows what is found in the folder, in all looks, and takes over once', async () => {
    const { agent, page, bodies } = await openDialog(upload, someChanged);
    const question = page.getByRole('dialog', { name: 'Go on here with what a browser began?' });
    await question.waitFor();
    expect(await lookEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Go on' }).click();
    const dialog = page.getByRole('dialog', { name: 'Go on sending here' });
    await dialog.getByText(upload.package_name, { exact: true }).waitFor();
    await dialog.getByLabel('Where are these files?').fill('/media/cards');
    await dialog.getByLabel('Where are these files?').press('Tab');
    await dialog.getByText('Found as in the browser: 190 files.').waitFor();
    await dialog.getByText('and 4 more').waitFor();
    expect(await lookEverywhere(page, { translate: inGerman(agent) })).toEqual([]);
    expect(bodies).toEqual([]);
    await page.getByRole('button', { name: 'Hier fortsetzen' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(bodies).toEqual([{ link, paths: ['/media/cards'] }]);
  });
});
