import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type PersonsRemedy, remedies } from '#protocol/agent/remedy.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import type { FakeAgent } from '#test/support/browser/fake-agent.ts';
import { sampleSession, sampleSignedIn, sampleTransfer } from '#test/support/browser/samples.ts';
import { firstOf, inAll } from '#test/support/level.ts';

const still = { bytes_per_second: 0, seconds_left: null } as const;

const failed = (id: string, cause: string, remedy: PersonsRemedy, message: string, change: Partial<AgentTransfer> = {}): AgentTransfer =>
  sampleTransfer({
    id,
    name: id,
    state: 'error',
    ...still,
    error: { code: 1, message, retryable: false, cause, remedy, needs_person: true },
    ...change,
  });
const waiting = (id: string, cause: string, remedy: PersonsRemedy, reason: string, change: Partial<AgentTransfer> = {}): AgentTransfer =>
  sampleTransfer({ id, name: id, ...still, waiting: { reason, cause, remedy, needs_person: true }, ...change });

const down = { kind: 'download', dst_folder: '/media/in', url: 'https://share.example.com/d/1' } as const;
const full = waiting(
  'Full',
  'disk_full',
  'free_space',
  'The disk at /media/in has too little room: 490000000 more bytes are needed. Free some; work goes on by itself; trying again in 30 s.',
  { ...down, position: 1 },
);
const some = failed(
  'Some',
  'files_failed',
  'finalize_without',
  new AgentError('files_failed', { count: 1_204, total: 20_000, detail: 'it is not there any more.' }).message,
  { position: 2 },
);
const locked = failed('Locked', 'link_password_wrong', 'new_password', 'This link needs a password.', { ...down, position: 3 });
const portal = failed('Portal', 'access_code_wrong', 'new_access_code', 'The access code is missing or wrong.', {
  portal: { id: 'p1', name: 'Dailies' },
  position: 4,
});
const signedOut = waiting('Signed out', 'session_is_nil', 'sign_in', 'Nobody is signed in. Sign in, and it goes on by itself.', {
  service_url: 'https://files.northlight.example',
  position: 5,
});
const moving = sampleTransfer({ id: 'Moves', name: 'Moves', position: 6 });

describeAgentPage('what needs a person, in a browser', { session: sampleSession(), viewport: { width: 1280, height: 800 } }, ({ open }) => {
  const inGerman = (agent: FakeAgent): void => {
    agent.settings = { ...agent.settings, language: 'de' };
  };
  const names = (page: Page): Promise<string[]> => page.locator('.row-name').allTextContents();
  const done = (agent: FakeAgent) =>
    agent.calls
      .filter(({ method, path }) => method !== 'GET' && path.startsWith('/api/v1/transfers/'))
      .map(({ method, path, body }) => [method, decodeURIComponent(path.replace('/api/v1/transfers/', '')), body]);

  it('says what has happened without touching its button, on a phone and in German too', async () => {
    for (const prepare of [undefined, inGerman]) {
      const { page } = await open({ transfers: [full, some, locked] }, { prepare, viewport: { width: 390, height: 844 } });
      await page.locator('.show-option').nth(1).click();
      await page.locator('.row-whole').nth(2).waitFor();
      const gaps = await page.locator('.row').evaluateAll((rows) =>
        rows.map((row) => {
          const of = (selector: string) => row.querySelector(selector)!.getBoundingClientRect();
          return of('.row-actions > .button-small').top - Math.max(of('.row-whole').bottom, of('.row-text').bottom - 8);
        }),
      );
      expect(gaps).toHaveLength(3);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(6);
    }
  });

  it('has a list of its own, counted in the side bar, and each row says what is wrong before it says why', async () => {
    const { agent, page } = await open({ transfers: [moving, full, some, locked, portal, signedOut] });
    const place = page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Needs you 5' });
    await place.click();
    await expect.poll(() => names(page)).toEqual(['Full', 'Some', 'Locked', 'Portal', 'Signed out']);
    expect(await page.locator('.row .state').allTextContents()).toEqual([
      'Disk full: 490 MB missing',
      '1,204 of 20,000 files failed',
      'Password of the link needed',
      'Access code needed',
      'Not signed in',
    ]);
    await page.getByText('The disk at /media/in has too little room: 490 MB more is needed.').waitFor();
    expect(await axeFindings(page)).toEqual([]);

    // As soon as one goes on, it is no longer there.
    agent.change('Full', { waiting: null, bytes_per_second: 1_000 });
    await expect.poll(() => names(page)).toEqual(['Some', 'Locked', 'Portal', 'Signed out']);
    await page.getByRole('link', { name: 'Needs you 4' }).waitFor();
    agent.change('Moves', { state: 'error', error: full.waiting && { code: 1, message: 'x', retryable: false } });
    await page.getByRole('link', { name: 'Needs you 5' }).waitFor();
    await page.locator('.show-option').getByText('All 6').click();
    await expect.poll(() => page.evaluate(() => location.hash)).toBe('#/transfers');
    await expect.poll(async () => (await names(page)).length).toBe(6);
    await page.goBack();
    await expect.poll(() => names(page)).toEqual(['Some', 'Locked', 'Portal', 'Signed out', 'Moves']);
  });

  it(
    'reads in German with German numbers, and in a narrow window',
    inAll('says what has happened in German, too; unit/ui/format'),
    async () => {
      const { page } = await open({ transfers: [full, some] }, { prepare: inGerman, viewport: { width: 390, height: 844 } });
      await page.getByRole('link', { name: 'Braucht Sie 2' }).click();
      await expect
        .poll(() => page.locator('.row .state').allTextContents())
        .toEqual(['Datenträger voll: 490 MB fehlen', '1.204 von 20.000 Dateien gescheitert']);
      await page.getByText('ist zu wenig Platz: Es fehlen 490 MB.').waitFor();
      await page.getByRole('button', { name: 'Ohne sie abschließen: Some' }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    },
  );

  it.each(firstOf([390, 360, 320]))('names every place of the bar below whole in a window of %d px, in both languages', async (width) => {
    for (const prepare of [inGerman, undefined]) {
      const { page } = await open({ transfers: [full, some] }, { ...(prepare ? { prepare } : {}), viewport: { width, height: 844 } });
      const names = page.locator('.nav-link:visible > span:not(.nav-count)');
      await expect.poll(() => names.count()).toBe(5);
      const cut = () => names.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
      expect(await cut()).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    }
  });

  it.each(firstOf([390, 1_440]))('cuts no state beside its cause, and has all tabs in one line, in German at %d px', async (width) => {
    const { page } = await open({ transfers: [full, some] }, { prepare: inGerman, viewport: { width, height: 844 } });
    await expect.poll(() => page.locator('.row .state').allTextContents()).toEqual(['Braucht Sie', 'Gescheitert']);
    const cut = await page.locator('.row .state').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length);
    expect(cut).toBe(0);
    // All tabs stand in one line.
    const tabs = await page.locator('.show-option').evaluateAll((all) => new Set(all.map((one) => one.getBoundingClientRect().top)).size);
    expect(tabs).toBe(1);
  });

  it('goes on with another folder', async () => {
    const { agent, page } = await open({ transfers: [full] });
    await page.getByRole('button', { name: 'Another folder: Full' }).click();
    const dialog = page.getByRole('dialog', { name: 'Another folder' });
    await dialog.getByLabel('Into the folder').fill('more');
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await dialog.getByText('whole', { exact: false }).first().waitFor();
    expect(done(agent)).toEqual([]);
    await dialog.getByLabel('Into the folder').fill('/media/more');
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(done(agent)).toEqual([['PATCH', 'Full', { dst_folder: '/media/more' }]]);
  });

  it('goes on with a new password, said to be wrong where it is typed, and with a new access code', async () => {
    const { agent, page } = await open({ transfers: [locked, portal] });
    await page.getByRole('button', { name: 'New password: Locked' }).click();
    const dialog = page.getByRole('dialog', { name: 'Password of the link' });
    await dialog.getByLabel('Password').fill('wrong');
    let wrong = true;
    agent.before = (path) => {
      if (wrong && path.endsWith('/Locked')) throw new ApiError('link_password_wrong');
    };
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    wrong = false;
    await dialog.getByLabel('Password').fill('right');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New access code: Portal' }).click();
    await page.getByRole('dialog').getByLabel('Access code').fill('0815');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(done(agent)).toEqual([
      ['PATCH', 'Locked', { password: 'wrong' }],
      ['PATCH', 'Locked', { password: 'right' }],
      ['PUT', 'Locked/retry', undefined],
      ['PATCH', 'Portal', { access_code: '0815' }],
      ['PUT', 'Portal/retry', undefined],
    ]);
    expect([...agent.transfers.values()].map(({ state }) => state)).toEqual(['queued', 'queued']);
  });

  it('goes on without what failed, or once more, from the page of the transfer', async () => {
    const { agent, page } = await open({ transfers: [some, full] });
    await page.getByRole('link', { name: 'Some', exact: true }).click();
    await page.getByText('1,204 of 20,000 files failed', { exact: true }).waitFor();
    await page.getByText('1,204 of 20,000 files did not get through.').waitFor();
    await page.getByRole('button', { name: 'Finish without them' }).click();
    await expect.poll(() => done(agent)).toEqual([['PUT', 'Some/finalize', undefined]]);
    await page.getByRole('link', { name: 'All transfers' }).click();
    await page.getByRole('link', { name: 'Full', exact: true }).click();
    await page.getByRole('button', { name: 'Try now' }).click();
    await expect.poll(() => done(agent).at(-1)).toEqual(['PUT', 'try_now', undefined]);
  });

  it('signs in where it is lacking, at the service that it is of', async () => {
    const ended = sampleSignedIn({ state: 'ended' });
    const { agent, page } = await open({ transfers: [signedOut], otherSessions: [ended] });
    await page.getByRole('button', { name: 'Sign in: Signed out' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByText('files.northlight.example').waitFor();
    expect(await dialog.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe('mia@northlight.example');
    agent.signIn = () => ({ user: ended.user!, teams: ended.teams });
    await dialog.getByLabel('Password', { exact: true }).fill('right');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(agent.calls.filter(({ method, path }) => method === 'POST' && path === '/api/v1/sessions').map(({ body }) => body)).toEqual([
      { service_url: 'https://files.northlight.example', email: 'mia@northlight.example', password: 'right' },
    ]);
  });

  it('has a button for every remedy that the agent names, both ways', async () => {
    const each = remedies.flatMap((remedy, index) => [
      failed(`up ${remedy}`, 'agent_fault', remedy, 'It failed.', { position: 2 * index }),
      failed(`down ${remedy}`, 'agent_fault', remedy, 'It failed.', { ...down, position: 2 * index + 1 }),
    ]);
    const { page } = await open({ transfers: each }, { viewport: { width: 1280, height: 4_000 } });
    await page.getByRole('link', { name: `Needs you ${each.length}` }).click();
    await expect.poll(() => names(page).then((all) => all.length)).toBe(each.length);
    for (const { name } of each)
      expect([name, await page.locator('.row', { hasText: name }).locator('.button-small').count()]).toEqual([name, 1]);
  });
});
