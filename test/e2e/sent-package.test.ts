import { expect, it } from 'vitest';
import { ApiError } from '#protocol/errors.ts';
import { parseTraceparent, traceIdName, traceparentName } from '#protocol/trace-context.ts';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import { sampleFile, sampleSession, sampleTransfer } from '#test/support/browser/samples.ts';
import { inAll } from '#test/support/level.ts';

const sent = sampleTransfer({
  state: 'complete',
  recipients: ['post@studio.example'],
  links: [{ email: 'post@studio.example', url: 'https://share.example.com/d/1?secret=2' }],
  url: 'https://share.example.com/d/1?secret=2',
  total_files: 2,
  finished_at: '2026-11-20T07:12:00.000Z',
});

describeAgentPage('the page of a sent package', { session: sampleSession(), transfers: [sent] }, ({ open }) => {
  it('says to whom it went, in the list and in the history', async () => {
    const { page } = await open();
    await page.getByText('post@studio.example', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText(/to post@studio.example/).waitFor();
  });

  it('adds a recipient, ends a link, changes how long it stands, and deletes it', async () => {
    const { agent, page } = await open({}, { path: '#/transfers/transfer-1' });
    await page.getByRole('button', { name: 'Add a recipient' }).click();
    await page.getByLabel('For whom').fill('colour@studio.example');
    await page.getByLabel('Password for the link').fill('long enough 1');
    await page.getByRole('button', { name: 'Make the link' }).click();
    await page.getByRole('button', { name: 'End the link for colour@studio.example' }).click();
    await page.getByRole('button', { name: 'End it now' }).click();
    await page.getByRole('button', { name: 'End the link for colour@studio.example' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Change how long' }).click();
    await page.getByLabel('Available').selectOption('never');
    await page.getByRole('button', { name: 'Change it' }).click();
    await page.getByText('It can be downloaded for as long as you said.').waitFor();
    agent.sent = { state: 'expired' };
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete it there' }).click();
    await page.getByText('Over: its files are deleted').waitFor();
    const calls = agent.calls.filter(({ method, path }) => method !== 'GET' && path.includes('/package'));
    expect(calls.map(({ method, path, body }) => [method, path.replace('/api/v1/transfers/transfer-1/package', ''), body])).toEqual([
      ['POST', '/links', { email: 'colour@studio.example', password: 'long enough 1' }],
      ['DELETE', '/links/link-1', undefined],
      ['PUT', '/expiry', { unlimited_storage: true }],
      ['DELETE', '', undefined],
    ]);
  });

  it(
    'says what was downloaded, mails a link once more, and says that a new one is mailed',
    inAll('integration/engine-sent-packages; renderer-scenes looks at one'),
    async () => {
      const { agent, page } = await open(
        {},
        {
          path: '#/transfers/transfer-1',
          prepare: (fake) => {
            const what = { whole: false, files: 4, more: false, names: ['a.mov', 'b.mov', 'c.mov'] };
            fake.sent = { can_mail: true, downloads: [{ email: 'post@studio.example', at: '2026-11-20T07:40:00.000Z', what }] };
          },
        },
      );
      await page.getByText('4 files: a.mov, b.mov, c.mov …').waitFor();
      await page.getByRole('button', { name: 'Mail again: post@studio.example' }).click();
      await page.getByText('The link goes to post@studio.example once more.').waitFor();
      expect(agent.calls.filter(({ path }) => path.endsWith('/links/link-0/mail'))).toHaveLength(1);
      await page.getByRole('button', { name: 'Add a recipient' }).click();
      await page.getByLabel('For whom').fill('colour@studio.example');
      await page.getByRole('button', { name: 'Make the link' }).click();
      await page.getByText('The link was made, and goes to colour@studio.example by mail.').waitFor();
    },
  );

  it(
    'says what checks have found, and that it is kept after its time',
    inAll('integration/engine-sent-packages and service/package-hold'),
    async () => {
      const { agent, page } = await open(
        {},
        {
          path: '#/transfers/transfer-1',
          prepare: (fake) => {
            fake.sent = {
              findings: [
                { kind: 'virus', files: 12, names: ['day 1/a.exe', 'b.exe'] },
                { kind: 'damaged', files: 1, names: ['c.mov'] },
                { kind: 'not_scanned', files: 1, names: ['d.zip'] },
              ],
            };
          },
        },
      );
      await page.getByText('A virus was found in 12 files.').waitFor();
      await page.getByText('day 1/a.exe, b.exe and 10 more').waitFor();
      await page.getByText('Damaged at the service, and given to nobody: 1 file.').waitFor();
      await page.getByText('Could not be scanned for viruses: 1 file.').waitFor();
      agent.sent = { expiry: '2026-01-24T12:00:00.000Z', hold: { since: '2026-01-20T12:00:00.000Z', reason: 'Dispute 117' } };
      await page.reload();
      await page.getByText('Its time is over: nobody can download it').waitFor();
      await page.getByText(/On hold since .* its files are kept/).waitFor();
      await page.getByText('Reason: Dispute 117').waitFor();
      expect(await page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
      expect(await page.getByRole('link', { name: 'Open the download page' }).count()).toBe(0);
    },
  );

  it(
    'shows the id under which the service has a failure, to be copied',
    inAll('the same at an upload page, and view-states of the console'),
    async () => {
      let id = '';
      const { agent, page } = await open({}, { path: '#/transfers/transfer-1' });
      await page.route('**/api/v1/transfers/transfer-1/package/links', (route) => {
        // The call itself names the trace that it belongs to.
        id = parseTraceparent(route.request().headers()[traceparentName])!.traceId;
        return route.fulfill({ status: 500, headers: { [traceIdName]: id }, json: new ApiError('internal', { id }).body });
      });
      await page.getByRole('button', { name: 'Add a recipient' }).click();
      await page.getByRole('button', { name: 'Make the link' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Copy', exact: true }).waitFor();
      await dialog.getByText(id, { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      agent.change('transfer-1', { state: 'error', error: { code: 1, message: 'It broke.', retryable: false, trace_id: id } });
      await page.locator('.facts').getByText(id, { exact: true }).waitFor();
    },
  );

  it('shows its files as a tree, with a search', async () => {
    const files = [sampleFile({ id: 'a', name: 'one.mov', path: 'reel/day 1' }), sampleFile({ id: 'b', name: 'notes.txt', path: '' })];
    const { page } = await open({ files }, { path: '#/transfers/transfer-1' });
    await page.getByText('one.mov').waitFor();
    await page.getByRole('button', { name: 'Folder reel', exact: true }).click();
    await page.getByText('one.mov').waitFor({ state: 'detached' });
    await page.getByLabel('Find a file').fill('ONE');
    await page.getByText('notes.txt').waitFor({ state: 'detached' });
  });
});
