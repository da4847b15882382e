import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#service/ids.ts';
import { expectGoodLooks, openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { inAll } from '#test/support/level.ts';
import { ownerEmail, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

const probe = '<img src=x onerror="window.attacked=1">';

describeInBrowser('the console of operators', (browserOf) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startConsole({ operators: [ownerEmail] });
  });
  afterAll(async () => {
    await service?.close();
  });

  it('shows how the service is, and leads to what needs somebody', async () => {
    const { db, now } = service.service.services;
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${service.teamId}`);
    await page.getByRole('link', { name: 'Operator' }).click();
    await page.getByText('All is well').waitFor();
    await page.getByText('Jobs by kind').click();
    await page.getByRole('rowheader', { name: 'mail.send' }).waitFor();
    await page.getByText('Jobs that come by themselves').click();
    await page.getByRole('cell', { name: '11 4 * * *' }).waitFor();
    await expectGoodLooks(page, { en: 'All is well', de: 'Alles in Ordnung' });

    // Nothing has failed yet.
    await page.getByRole('link', { name: 'Failed work' }).click();
    await expectGoodLooks(page, { en: 'No job has failed', de: 'Kein Auftrag ist fehlgeschlagen' });
    await page.getByRole('button', { name: 'Mail' }).click();
    await page.getByText('No mail has failed').waitFor();
    // What a check of the storage has found.
    await page.getByRole('button', { name: 'Stored files' }).click();
    await page.getByText('Nothing is missing or damaged').waitFor();
    await db
      .insertInto('integrity_findings')
      .values([
        {
          ...{ kind: 'damaged', key: newId(), path: 'objects/1f/x', size: '48000', team_id: service.teamId, package_id: newId() },
          ...{ package_name: `Dailies ${probe}`, file_id: null, file_name: `a/b/${probe}.mov`, detail: '', found_at: now() },
        },
        {
          ...{ kind: 'orphan', key: newId(), path: 'objects/2a/y', size: null, team_id: null, package_id: null },
          ...{ package_name: null, file_id: null, file_name: null, detail: '', found_at: now() },
        },
      ])
      .execute();
    await page.reload();
    await expectGoodLooks(page, { en: 'Damaged: a/b/<img', de: 'Beschädigt: a/b/<img' });
    await page.getByRole('button', { name: 'Mail' }).click();

    // A mail that failed and is sent again; what strangers wrote is only shown.
    const id = newId();
    await db
      .insertInto('messages')
      .values({
        ...{ id, kind: 'password_changed', package_id: null, link_id: null, recipient: ownerEmail, state: 'refused', attempts: 1 },
        ...{ last_error: `550 ${probe}`, created_at: now(), updated_at: now() },
      })
      .execute();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.reload();
    await page.getByRole('link', { name: '1 reached nobody' }).click();
    await expectGoodLooks(page, { en: '550 <img', de: 'Abgelehnt' });
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    await page.getByRole('button', { name: `Do again: ${ownerEmail}` }).click();
    await page.getByText('1 is done again.').waitFor();
    await page.getByText('No mail has failed').waitFor();
    await expect
      .poll(async () => (await db.selectFrom('messages').select('state').where('id', '=', id).executeTakeFirstOrThrow()).state)
      .toBe('sent');

    // Jobs, singly and by kind.
    const output = JSON.stringify({ message: 'invalid input syntax for type uuid: "no id"' });
    for (const name of ['one', 'two', 'three']) {
      await sql`insert into jobs.job_common (name, data, source_name, source_id, source_retry_count, source_output)
        values ('failed', ${JSON.stringify({ package_id: name })}::jsonb, 'packages.free', gen_random_uuid(), 50, ${output}::jsonb)`.execute(
        db,
      );
    }
    await page.getByRole('button', { name: 'Jobs' }).click();
    await page.reload();
    await expectGoodLooks(page, { en: 'package_id one', de: '51 Versuche' });
    await page.getByRole('button', { name: 'Do again: packages.free' }).first().click();
    await page.getByText('1 is done again.').waitFor();
    await page.getByLabel('Kind of job').selectOption('packages.free');
    await page.getByRole('button', { name: 'All of packages.free again' }).click();
    await page.getByText('2 are done again.').waitFor();
    await page.getByText('No job has failed').waitFor();

    await page.getByRole('link', { name: 'Log' }).last().click();
    await page.getByText('Mails sent again').waitFor();
    await expectGoodLooks(page, { en: 'Jobs done again', de: 'Aufträge noch einmal ausgeführt' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('finds Teams, suspends one with a reason, and reactivates it', async () => {
    const { db } = service.service.services;
    const team = await addTeam(service, `Northlight ${probe}`);
    const { email } = await addUser(service, 'owner', team);
    const { page, complaints, close } = await openConsole(browserOf(), service, '/operator/teams');
    const list = page.getByRole('list', { name: 'Teams of the service' });
    await list.getByText('Northlight').waitFor();
    await page.getByLabel('Search by name').fill('northl');
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
    await list.getByText(email).waitFor();
    await list.getByRole('button', { name: 'Suspend' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await dialog.getByText('Say why.').waitFor();
    await expectGoodLooks(page, { en: 'Say why.', de: 'Sagen Sie, warum.' });
    await dialog.getByLabel('Reason').fill('The invoice of October is open.');
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await page.getByText(/is suspended\./).waitFor();
    await list.getByRole('button', { name: 'Reactivate' }).waitFor();
    const stateOf = async () => (await db.selectFrom('teams').select('state').where('id', '=', team).executeTakeFirstOrThrow()).state;
    expect(await stateOf()).toBe('inactive');
    await page.getByLabel('Search by name').fill('');
    await page.getByLabel('State').selectOption('inactive');
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
    await expectGoodLooks(page, { en: 'Reactivate', de: 'Entsperren' });
    await list.getByRole('button', { name: 'Reactivate' }).click();
    await page.getByText(/is active again\./).waitFor();
    expect(await stateOf()).toBe('active');
    await expectGoodLooks(page, { en: 'No Team matches', de: 'Kein Team passt dazu' });
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    expect(complaints).toEqual([]);
    await close();
  });

  it(
    'limits what a Team stores: who sends reads why it is refused, and goes on once there is room',
    inAll('service/quotas; a Team that is suspended, and a Portal that says what the service refuses'),
    async () => {
      const { db } = service.service.services;
      const teamId = await addTeam(service, 'Harbour Films');
      const { userId } = await addUser(service, 'owner', teamId);
      await db.updateTable('users').set({ is_operator: true }).where('id', '=', userId).execute();
      const { page, complaints, close } = await openConsole(browserOf(), service, '/operator/teams', { userId });
      const list = page.getByRole('list', { name: 'Teams of the service' });
      const dialog = page.getByRole('dialog');
      const limitTo = async (gigabytes: string) => {
        await list.getByRole('button', { name: 'Limits: Harbour Films' }).click();
        await dialog.getByLabel('Storage, in GB').fill(gigabytes);
        await dialog.getByRole('button', { name: 'Save limits' }).click();
      };
      await limitTo('much');
      await expectGoodLooks(page, { en: 'Give a number such as', de: 'Geben Sie eine Zahl' });
      await dialog.getByLabel('Storage, in GB').fill('0,000002');
      await dialog.getByLabel('Sent in a month').fill('20000');
      await dialog.getByRole('button', { name: 'Save limits' }).click();
      await page.getByText('The limits of “Harbour Films” are saved.').waitFor();
      await list.getByText('0 bytes of 2 kB stored').waitFor();

      await page.goto(`${service.url}/t/${teamId}/send`);
      await page.addInitScript(() => Object.assign(window, { showOpenFilePicker: undefined, showDirectoryPicker: undefined }));
      await page.reload();
      const bytes = { mimeType: 'application/octet-stream', buffer: Buffer.alloc(1_850) };
      await page.locator('input[data-kind=files]').setInputFiles(['first.bin', 'second.bin'].map((name) => ({ name, ...bytes })));
      await page.getByRole('button', { name: /^Send \d/ }).click();
      await page.getByText('The Team’s storage is full.').first().waitFor();
      await expectGoodLooks(page, { en: 'The Team’s storage is full.', de: 'Der Speicher des Teams ist voll.' });

      // The sender's page stays as it is, while an operator makes room.
      const raised = await service.call('PUT', `/v1/operator/teams/${teamId}/quotas`, {
        headers: { 'x-user-token': service.userToken },
        body: { storage: 5_000, traffic: null },
      });
      expect(raised.status).toBe(200);
      await page
        .getByRole('button', { name: /^Try (?:all )?again/ })
        .first()
        .click();
      await page.getByRole('heading', { name: 'is sent' }).waitFor();
      await page.goto(`${service.url}/operator/teams?sort=usage`);
      await list.getByText('3.7 kB of 5 kB stored').waitFor();
      await limitTo('0.000004');
      await list.getByText('92% used').waitFor();
      await expectGoodLooks(page, { en: '92% used', de: 'belegt' });
      expect(complaints.filter((complaint) => !complaint.includes('507'))).toEqual([]);
      await close();
    },
  );

  it('is for operators alone, whether they are in a Team or not', async () => {
    const { db } = service.service.services;
    const { userId } = await addUser(service, 'owner');
    const visit = await openConsole(browserOf(), service, '/operator', { userId });
    await visit.page.getByText('You may not see this').waitFor();
    expect(await visit.page.getByRole('link', { name: 'Operator' }).count()).toBe(0);
    await visit.close();

    await db.deleteFrom('memberships').where('user_id', '=', userId).execute();
    await db.updateTable('users').set({ is_operator: true }).where('id', '=', userId).execute();
    const { page, complaints, close } = await openConsole(browserOf(), service, '/', { userId });
    await page.getByRole('link', { name: 'Operator' }).click();
    await page.getByText('All is well').waitFor();

    // It was taken back meanwhile.
    await db.updateTable('users').set({ is_operator: false }).where('id', '=', userId).execute();
    await page.getByRole('link', { name: 'Teams' }).click();
    await page.getByText('Only operators of this service see this').waitFor();
    expect(complaints.filter((complaint) => !complaint.includes('403'))).toEqual([]);
    await close();
  });
});
