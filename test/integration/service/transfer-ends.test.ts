import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookPayload } from '#protocol/hosted/webhook-events.ts';
import { ProviderError } from '#providers/errors.ts';
import { newId } from '#service/ids.ts';
import { removeWhatFailedLeft } from '#service/transfers/change.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { parseMail, startMailServer, type TestMailServer } from '#test/support/service/mail-server.ts';
import { ownerEmail } from '#test/support/service/owner.ts';
import { packageState } from '#test/support/service/packages.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { type FakeClouds, useInMemoryClouds } from '#test/support/service/transfer-provider.ts';
import {
  askTransfer,
  changeTransfer,
  nowhere,
  putConnection,
  readTransfer,
  sentPackage,
  threeFiles,
  transferBecomes,
} from '#test/support/service/transfers.ts';
import { readEvents } from '#test/support/system/event-reader.ts';
import { bodyOf, startHttpServer } from '#test/support/system/http-server.ts';

let server: TestMailServer;
let t: TestService;
let clouds: FakeClouds;
beforeAll(async () => {
  server = await startMailServer();
  t = await startTestService({ allowPrivateWebhooks: true, smtpUrl: `smtp://127.0.0.1:${server.port}`, mailFrom: 'files@harbour.example' });
});
afterAll(async () => {
  await t?.close();
  await server?.close();
});
beforeEach(() => {
  clouds = useInMemoryClouds(t);
});

const names = (): string[] => [...clouds.cloud.files.keys()].toSorted();

describe('an attempt that fails', () => {
  it('is an error at once where the connection is to blame, which says so too, and goes on by retry', async () => {
    const connection = await putConnection(t);
    const sender = await sentPackage(t, threeFiles, { name: 'Refused' });
    let completions = 0;
    clouds.before = async (call) => {
      if (call === 'complete' && ++completions === 2)
        throw new ProviderError('credentials_refused', 'The key was withdrawn. Enter a new one.');
    };
    const made = await askTransfer(t, sender, { cloud_connection_id: connection });
    const failed = await transferBecomes(t, made.body, 'error');
    expect(failed.error).toBe('The key was withdrawn. Enter a new one.');
    const kept = () =>
      t.service.services.db
        .selectFrom('cloud_connections')
        .select(['state', 'state_message'])
        .where('id', '=', connection)
        .executeTakeFirstOrThrow();
    expect(await kept()).toEqual({ state: 'error', state_message: 'The key was withdrawn. Enter a new one.' });
    expect((await changeTransfer(t, made.body, 'cancel')).status).toBe(409);
    clouds.before = async () => undefined;
    expect((await changeTransfer(t, made.body, 'retry')).status).toBe(204);
    expect(await transferBecomes(t, made.body, 'complete')).toMatchObject({ attempts: 2, progress: { files: 3 } });
    // What came through says that it works again.
    expect(await kept()).toEqual({ state: 'ok', state_message: '' });
    expect(names()).toEqual(['Longshore/Refused/a.mov', 'Longshore/Refused/roll/b.mov', 'Longshore/Refused/roll/c.wav']);
    expect((await changeTransfer(t, made.body, 'retry')).status).toBe(409);
  });

  it('leaves files out that its provider does not take, and says so', async () => {
    const connection = await putConnection(t, { provider: 'frameio_v4' });
    const sender = await sentPackage(t, threeFiles, { name: 'With an empty one' });
    clouds.before = async (call, request) => {
      if (call === 'begin' && (request as { size: number }).size === 0) throw new ProviderError('empty_refused', 'Not taken.');
    };
    const made = await askTransfer(t, sender, { cloud_connection_id: connection });
    expect(await transferBecomes(t, made.body, 'complete')).toMatchObject({
      progress: { files: 3, total_files: 3 },
      state_message: 'A file without content was left out, since Frame.io (V4) takes none.',
    });
    expect(names()).toEqual(['Longshore/With an empty one/a.mov', 'Longshore/With an empty one/roll/b.mov']);
  });

  it('waits for another one where it may pass', async () => {
    const connection = await putConnection(t);
    const sender = await sentPackage(t, { 'a.mov': threeFiles['a.mov'] }, { name: 'Busy' });
    clouds.before = async () => {
      throw new ProviderError('busy', 'The provider is busy.');
    };
    const made = await askTransfer(t, sender, { cloud_connection_id: connection });
    await expect.poll(() => readTransfer(t, made.body)).toMatchObject({ state: 'pending', attempts: 1 });
    expect((await readTransfer(t, made.body)).state_message).toBe('The provider is busy. It is tried again by itself.');
    expect(
      (await t.service.services.db.selectFrom('cloud_connections').select('state').where('id', '=', connection).executeTakeFirstOrThrow())
        .state,
    ).toBe('ok');
    clouds.before = async () => undefined;
    const { db } = t.service.services;
    await db
      .updateTable('cloud_transfers')
      .set({ due_at: new Date(0) })
      .where('id', '=', made.body.id)
      .execute();
    expect(await transferBecomes(t, made.body, 'complete')).toMatchObject({ attempts: 2, state_message: '' });
  });

  it('with credentials for one time leaves nothing of them, and cannot be tried again', async () => {
    const sender = await sentPackage(t, { 'a.mov': threeFiles['a.mov'] });
    clouds.before = async (call) => {
      if (call === 'putPart') throw new ProviderError('full', 'The bucket is full.');
    };
    const made = await askTransfer(t, sender, { single_use: { provider: 'generic_s3', authorization: nowhere } });
    await transferBecomes(t, made.body, 'error');
    const row = () =>
      t.service.services.db.selectFrom('cloud_transfers').selectAll().where('id', '=', made.body.id).executeTakeFirstOrThrow();
    await expect.poll(row).toMatchObject({ sealed_authorization: null, due_at: null, lease_id: null, cleanup: false });
    expect(clouds.cloud.uploads.size).toBe(0);
    expect(await changeTransfer(t, made.body, 'retry')).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('one use') },
    });
  });
});

describe('webhooks of the Team, and an address that was named,', () => {
  it('hear that a transfer began, failed, and is complete, each once', async () => {
    const heard: WebhookPayload[] = [];
    const receiver = await startHttpServer(async (request, response) => {
      heard.push(JSON.parse((await bodyOf(request)).toString()) as WebhookPayload);
      response.writeHead(204).end();
    });
    try {
      const webhook = await t.call<{ id: string }>('POST', `/v1/teams/${t.teamId}/custom_webhooks`, {
        headers: { 'x-api-key': t.apiKey },
        body: {
          active: true,
          events: ['transfer.started', 'transfer.complete', 'transfer.error'],
          method: 'POST',
          url: receiver.url,
          scope: 'team',
        },
      });
      expect(webhook.status).toBe(201);
      const sender = await sentPackage(t, threeFiles, { name: 'Told' });
      clouds.before = async (call) => {
        if (call === 'complete') throw new ProviderError('full', 'The bucket is full. Make room.');
      };
      const { body } = await askTransfer(t, sender, { cloud_connection_id: await putConnection(t), notify_email: 'mia@example.com' });
      await transferBecomes(t, body, 'error');
      const mails = () =>
        t.service.services.db.selectFrom('messages').select(['kind', 'recipient', 'state']).where('transfer_id', '=', body.id).execute();
      const mail = { kind: 'transfer', recipient: 'mia@example.com', state: 'sent' };
      await expect.poll(mails).toEqual([mail]);
      clouds.before = async () => undefined;
      expect((await changeTransfer(t, body, 'retry')).status).toBe(204);
      await transferBecomes(t, body, 'complete');
      await expect.poll(() => heard.length).toBe(3);
      await expect.poll(mails).toEqual([mail, mail]);
      const of = (type: string) => heard.find((one) => one.event_type === type)!;
      const common = { type: 'transfer', id: body.id, package_id: sender.package.id, name: 'Told' };
      expect(of('transfer.started').object).toMatchObject({ ...common, state: 'started', error: '' });
      expect(of('transfer.error').object).toMatchObject({ ...common, state: 'error', error: 'The bucket is full. Make room.' });
      expect(of('transfer.complete').object).toMatchObject({ ...common, state: 'complete', progress: { files: 3, bytes: 3_200 } });
      expect(JSON.stringify(heard)).not.toContain('access_token');
      await t.call('DELETE', `/v1/custom_webhooks/${webhook.body.id}`, { headers: { 'x-api-key': t.apiKey } });
    } finally {
      await receiver.close();
    }
  });
});

describe('who has sent the package', () => {
  it('is told by mail that a transfer by a connection failed, and why, each time, where they chose it', async () => {
    const sender = await sentPackage(t, { 'a.mov': threeFiles['a.mov'] }, { name: 'Lost', notify: ['failed'] });
    const quiet = await sentPackage(t, { 'a.mov': threeFiles['a.mov'] }, { name: 'Quiet', notify: ['downloaded', 'expires'] });
    clouds.before = async (call) => {
      if (call === 'complete') throw new ProviderError('full', 'The bucket is <b>full</b>. Make room.');
    };
    const connection = await putConnection(t);
    const failed = await askTransfer(t, sender, { cloud_connection_id: connection });
    const unheard = await askTransfer(t, quiet, { cloud_connection_id: connection });
    await transferBecomes(t, failed.body, 'error');
    await transferBecomes(t, unheard.body, 'error');
    const told = (name: string) =>
      server.received
        .map(({ to, content }) => ({ to: to[0], ...parseMail(content) }))
        .filter(({ headers }) => headers.get('subject') === `Something about “${name}” failed`);
    await expect.poll(() => told('Lost')).toMatchObject([{ to: ownerEmail }]);
    const [mail] = told('Lost');
    expect(mail!.text).toContain('A transfer of the package has failed, and is not tried again by itself.');
    expect(mail!.text).toContain('> The bucket is <b>full</b>. Make room.');
    expect(mail!.html).not.toContain('<b>');
    // It fails once more: that is another failure.
    expect((await changeTransfer(t, failed.body, 'retry')).status).toBe(204);
    await expect.poll(() => told('Lost').length).toBe(2);
    expect(told('Quiet')).toEqual([]);
  });
});

describe("a package's events", () => {
  it('tell whoever manages it how its transfers stand, and nobody else', async () => {
    const sender = await sentPackage(t, threeFiles, { name: 'Watched' });
    const { tokens } = t.service.services;
    const writing = await tokens.sign('package', {
      packageId: sender.package.id,
      variant: 'write',
      tokenId: newId(),
      linkId: null,
      userId: null,
    });
    const address = `${t.url}/v1/packages/${sender.package.id}/events`;
    const [manager, writer] = [await readEvents(address, sender.token), await readEvents(address, { 'x-package-token': writing })];
    try {
      // The first of each says how the package is before there is a transfer.
      await expect.poll(() => [manager, writer].every(({ events }) => events.length > 0)).toBe(true);
      const { body } = await askTransfer(t, sender, { cloud_connection_id: await putConnection(t) });
      const complete = [
        {
          id: body.id,
          direction: 'service_to_cloud',
          state: 'complete',
          progress: { bytes: 3_200, total_bytes: 3_200, files: 3, total_files: 3 },
        },
      ];
      await expect.poll(() => manager.events.at(-1)?.transfers).toEqual(complete);
      expect(manager.events[0]!.transfers).toBeUndefined();
      expect(writer.events.length).toBeGreaterThan(0);
      for (const event of writer.events) expect(event).not.toHaveProperty('transfers');
    } finally {
      for (const reader of [manager, writer]) reader.close();
    }
  });
});

describe('a transfer that is cancelled', () => {
  it('ends under way, leaves no unfinished upload, keeps complete files, and goes on by retry', async () => {
    const connection = await putConnection(t);
    const sender = await sentPackage(t, threeFiles, { name: 'Stopped' });
    const begun = Promise.withResolvers<void>();
    clouds.before = async (call, request, signal) => {
      if (call !== 'putPart' || (request as { number: number }).number !== 2) return;
      begun.resolve();
      await sleep(60_000, undefined, { signal });
    };
    const made = await askTransfer(t, sender, { cloud_connection_id: connection });
    await begun.promise;
    // The small files come through beside it.
    await expect.poll(() => names().length).toBe(2);
    expect(clouds.cloud.uploads.size).toBe(1);
    expect((await changeTransfer(t, made.body, 'cancel')).status).toBe(204);
    expect((await readTransfer(t, made.body)).state).toBe('cancelled');
    await expect.poll(() => clouds.cloud.uploads.size).toBe(0);
    expect((await changeTransfer(t, made.body, 'cancel')).status).toBe(409);
    clouds.before = async () => undefined;
    expect((await changeTransfer(t, made.body, 'retry')).status).toBe(204);
    await transferBecomes(t, made.body, 'complete');
    expect(names()).toEqual(['Longshore/Stopped/a.mov', 'Longshore/Stopped/roll/b.mov', 'Longshore/Stopped/roll/c.wav']);
  });

  it('before its turn never begins', async () => {
    const connection = await putConnection(t);
    const hold = new AbortController();
    clouds.before = (_call, _request, signal) =>
      sleep(60_000, undefined, { signal: AbortSignal.any([signal, hold.signal]) }).catch(() => undefined);
    const sender = await sentPackage(t, { 'a.mov': threeFiles['a.mov'] }, { name: 'Third' });
    // Two of a connection at once: the third waits.
    const transfers = [];
    for (let n = 0; n < 3; n++) transfers.push((await askTransfer(t, sender, { cloud_connection_id: connection })).body);
    await transferBecomes(t, transfers[0]!, 'started');
    await transferBecomes(t, transfers[1]!, 'started');
    expect((await readTransfer(t, transfers[2]!)).state).toBe('pending');
    expect((await changeTransfer(t, transfers[2]!, 'cancel')).status).toBe(204);
    clouds.before = async () => undefined;
    hold.abort();
    await transferBecomes(t, transfers[0]!, 'complete');
    await transferBecomes(t, transfers[1]!, 'complete');
    expect(await readTransfer(t, transfers[2]!)).toMatchObject({ state: 'cancelled', attempts: 0 });
    expect(names()).toEqual(['Longshore/Third (2)/a.mov', 'Longshore/Third/a.mov']);
  });
});

describe('the end of a package', () => {
  const underWay = async (name: string) => {
    const connection = await putConnection(t);
    const sender = await sentPackage(t, threeFiles, { name });
    const begun = Promise.withResolvers<void>();
    clouds.before = async (call, _request, signal) => {
      if (call !== 'putPart') return;
      begun.resolve();
      await sleep(60_000, undefined, { signal });
    };
    const { body } = await askTransfer(t, sender, { cloud_connection_id: connection });
    await begun.promise;
    return { transfer: body, packageId: sender.package.id, sender };
  };
  const expire = async (packageId: string, daysAgo: number): Promise<void> => {
    const { services } = t.service;
    const expiry = new Date(Date.now() - daysAgo * 24 * 3_600_000);
    await services.db.updateTable('packages').set({ expiry }).where('id', '=', packageId).execute();
    await runJob(services, 'packages.expire', {});
  };

  it('waits for its transfers, which say so, and for at most 7 days', async () => {
    const { transfer, packageId } = await underWay('Kept');
    await expire(packageId, 6.9);
    expect(await packageState(t, packageId)).toBe('finalized');
    expect(await readTransfer(t, transfer)).toMatchObject({
      state: 'started',
      state_message: expect.stringMatching(/kept for this transfer, at most until 20/),
    });
    await expire(packageId, 7.1);
    expect(await packageState(t, packageId)).toBe('expired');
    expect(await readTransfer(t, transfer)).toMatchObject({ state: 'cancelled' });
    await expect.poll(() => clouds.cloud.uploads.size).toBe(0);
    expect((await changeTransfer(t, transfer, 'retry')).status).toBe(410);
  });

  it('comes at once where somebody deletes it, and takes its transfers along', async () => {
    const { transfer, packageId, sender } = await underWay('Deleted');
    expect((await t.call('DELETE', `/v1/packages/${packageId}`, { headers: sender.token })).status).toBe(204);
    expect(await readTransfer(t, transfer)).toMatchObject({ state: 'cancelled' });
    const { db } = t.service.services;
    await expect.poll(() => clouds.cloud.uploads.size).toBe(0);
    await expect.poll(() => db.selectFrom('cloud_transfer_files').selectAll().where('transfer_id', '=', transfer.id).execute()).toEqual([]);
  });

  it('lets transfers of a deleted connection finish', async () => {
    const { transfer } = await underWay('Unlinked');
    const gone = await t.call('DELETE', `/v1/cloud_connections/${transfer.cloud_connection_id}`, { headers: { 'x-api-key': t.apiKey } });
    expect(gone.status).toBe(204);
    // As after a failure: another attempt is made.
    clouds.before = async () => {
      throw new ProviderError('busy', 'The provider is busy.');
    };
    const { db } = t.service.services;
    await db
      .updateTable('cloud_transfers')
      .set({ lease_id: newId(), due_at: new Date(0) })
      .where('id', '=', transfer.id)
      .execute();
    clouds.before = async () => undefined;
    await transferBecomes(t, transfer, 'complete');
    expect(names()).toContain('Longshore/Unlinked/a.mov');
  });

  it('is not taken up again by a retry that comes while its connection is being deleted', async () => {
    const { db } = t.service.services;
    const connection = await putConnection(t);
    const sender = await sentPackage(t, threeFiles, { name: 'Raced' });
    clouds.before = async (call) => {
      if (call === 'complete') throw new ProviderError('forbidden', 'It may not.');
    };
    const { body: transfer } = await askTransfer(t, sender, { cloud_connection_id: connection });
    await transferBecomes(t, transfer, 'error');
    clouds.before = async () => undefined;
    const deleting = Promise.withResolvers<void>();
    const marked = Promise.withResolvers<number>();
    const deletion = db.transaction().execute(async (trx) => {
      await trx.updateTable('cloud_connections').set({ deleted_at: new Date() }).where('id', '=', connection).execute();
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      marked.resolve(rows[0]!.pid);
      await deleting.promise;
      await removeWhatFailedLeft(trx, t.service.services.jobs, connection);
    });
    const deleter = await marked.promise;
    const retried = changeTransfer(t, transfer, 'retry');
    // It waits for the deletion.
    await expect
      .poll(async () => {
        const { rows } = await sql`select from pg_stat_activity where ${deleter}::integer = any(pg_blocking_pids(pid))`.execute(db);
        return rows.length;
      })
      .toBe(1);
    deleting.resolve();
    await deletion;
    expect((await retried).status).toBe(409);
    // What it had begun is removed, since nobody goes on with it.
    await expect.poll(() => clouds.cloud.uploads.size).toBe(0);
    expect((await readTransfer(t, transfer)).state).toBe('error');
  });
});
