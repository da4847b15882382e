import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import type { VirusPolicy } from '#protocol/hosted/teams.ts';
import type { WebhookPayload } from '#protocol/hosted/webhook-events.ts';
import { readLetter } from '#service/mail/read.ts';
import { openClamd } from '#service/viruses/clamd.ts';
import { parseClamdUrl } from '#service/viruses/clamd-address.ts';
import { scanCondition } from '#service/viruses/condition.ts';
import { clamdLimits, hasClamd, type RunningClamd, startClamd, testVirus, testVirusName } from '#test/support/service/clamd.ts';
import { connectBy, ok, only, poll, putGateway } from '#test/support/service/gateways.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { newSender, openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { useInMemoryClouds } from '#test/support/service/transfer-provider.ts';
import { askTransfer, putConnection, transferBecomes } from '#test/support/service/transfers.ts';
import { bodyOf, startHttpServer } from '#test/support/system/http-server.ts';
import { eventually } from '#test/support/system/processes.ts';

/** Files are scanned once their package is finalized, and what is found has consequences (contract/packages.md §9). */

describe.skipIf(!hasClamd())('with the real clamd', () => {
  let clamd: RunningClamd;
  let t: TestService;
  let clockAhead = 0;
  beforeAll(async () => {
    clamd = await startClamd();
    t = await startTestService({
      clamd: { url: clamd.url, maxBytes: clamdLimits.maxFileSize },
      allowPrivateWebhooks: true,
      now: () => new Date(Date.now() + clockAhead),
    });
  });
  afterAll(async () => {
    await t?.close();
    await clamd?.close();
  });
  beforeEach(() => setPolicy('block'));

  const owner = () => ({ 'x-user-token': t.userToken });
  const setPolicy = async (virus_policy: VirusPolicy) => {
    const { status } = await t.call('PUT', `/v1/teams/${t.teamId}`, { headers: owner(), body: { virus_policy } });
    expect(status).toBe(200);
  };
  const scanOf = (packageId: string) =>
    t.service.services.db.selectFrom('package_scans').selectAll().where('package_id', '=', packageId).executeTakeFirstOrThrow();
  const scanned = (packageId: string) => eventually('the package is scanned', async () => (await scanOf(packageId)).state === 'done');

  /** A package with a clean file, one with a virus and one that is beyond the scanner's limit, opened by its recipient. */
  async function sent(files: Readonly<Record<string, string | Buffer>>) {
    const sender = await newSender(t, { recipients: ['post@example.com'] });
    for (const [name, bytes] of Object.entries(files)) await sender.send('', name, Buffer.from(bytes));
    expect((await sender.finalize()).status).toBe(204);
    await scanned(sender.package.id);
    const scan = await scanOf(sender.package.id);
    const [link] = await sender.links();
    const base = `/v1/packages/${sender.package.id}`;
    const open = () => openLink(t, link!);
    return { sender, scan, base, open, link: link! };
  }
  const three = { 'clean.txt': 'nothing', 'ill.txt': `x ${testVirus} y`, 'large.bin': Buffer.alloc(clamdLimits.maxFileSize + 1) };

  async function asRecipient({ open, base }: Awaited<ReturnType<typeof sent>>) {
    const headers = { 'x-package-token': (await open()).body.package_token };
    const { body: records } = await t.call<File[]>('GET', `${base}/files`, { headers });
    const idOf = (name: string) => records.find((file) => file.name === name)!.id;
    const download = (id: string) => t.call<{ url: string; message: string }>('GET', `${base}/files/${id}/download`, { headers });
    return { headers, records, idOf, download };
  }

  it('marks what it found, and counts what it could not scan', async () => {
    const one = await sent({ ...three, 'empty.txt': '' });
    expect(one.scan).toMatchObject({ files: 4, infected: 1, unscanned: 1, attempts: 0 });
    const { records } = await asRecipient(one);
    const marked = records.filter(({ virus_detected }) => virus_detected).map(({ name, kind }) => (kind === 'file' ? name : kind));
    expect(marked).toEqual(['ill.txt', 'zip_windows', 'zip_mac']);
    expect(records.flatMap(({ name, not_scanned }) => (not_scanned ? [`${name}: ${not_scanned}`] : []))).toEqual(['large.bin: too_large']);
    const { body } = await t.call('GET', one.base, { headers: one.sender.token });
    const findings = [
      { kind: 'virus', files: 1, names: ['ill.txt'] },
      { kind: 'not_scanned', files: 1, names: ['large.bin'] },
    ];
    expect(body).toMatchObject({ contains_virus: true, findings });
    const { headers } = await asRecipient(one);
    expect((await t.call('GET', one.base, { headers })).body).not.toHaveProperty('findings');
    const noted = await t.service.services.db
      .selectFrom('scan_findings')
      .innerJoin('files', 'files.id', 'scan_findings.file_id')
      .select(['files.name', 'scan_findings.kind', 'detail'])
      .where('scan_findings.package_id', '=', one.sender.package.id)
      .orderBy('files.name')
      .execute();
    expect(noted).toEqual([
      { name: 'ill.txt', kind: 'infected', detail: testVirusName },
      { name: 'large.bin', kind: 'unscanned', detail: 'too_large' },
    ]);
  });

  it('leaves a clean package as it is', async () => {
    const one = await sent({ 'a.txt': 'a', 'b.txt': 'b' });
    expect(one.scan).toMatchObject({ files: 2, infected: 0, unscanned: 0 });
    const { records, download } = await asRecipient(one);
    expect(records.some(({ virus_detected }) => virus_detected)).toBe(false);
    for (const { id } of records) expect((await download(id)).status).toBe(200);
  });

  it('blocks the file and zips with it, alone and in a batch, also by addresses from before', async () => {
    await setPolicy('warn');
    const one = await sent(three);
    const { headers, records, idOf, download } = await asRecipient(one);
    const whole = await download(idOf('Dailies.zip'));
    expect((await fetch(whole.body.url, { method: 'HEAD' })).status).toBe(200);
    expect((await download(idOf('ill.txt'))).status).toBe(200);

    await setPolicy('block');
    expect((await download(idOf('clean.txt'))).status).toBe(200);
    for (const name of ['ill.txt', 'Dailies.zip'])
      expect(await download(idOf(name))).toMatchObject({ status: 403, body: { message: expect.stringContaining('A virus was found in') } });
    expect((await fetch(whole.body.url, { method: 'HEAD' })).status).toBe(403);
    const batch = await t.call<{ files: { url?: string; error?: { message: string } }[] }>('POST', `${one.base}/files/batch/download`, {
      headers,
      body: { file_ids: ['clean.txt', 'ill.txt', 'large.bin'].map(idOf) },
    });
    expect(batch.body.files.map(({ url, error }) => [url !== undefined, error?.message.slice(0, 17)])).toEqual([
      [true, undefined],
      [false, 'A virus was found'],
      [true, undefined],
    ]);
    const zip = (first: number, last: number) =>
      t.call('POST', `${one.base}/zips`, { headers, body: { kind: 'zip_mac', ranges: [{ first, last }] } });
    const positions = records.filter(({ kind }) => kind === 'file').map(({ name }) => name);
    expect(positions).toEqual(['clean.txt', 'ill.txt', 'large.bin']);
    expect([(await zip(0, 0)).status, (await zip(0, 1)).status, (await zip(2, 2)).status]).toEqual([200, 403, 200]);
    const preview = (name: string) => t.call('GET', `${one.base}/files/${idOf(name)}/preview`, { headers: one.sender.token });
    expect([(await preview('clean.txt')).status, (await preview('ill.txt')).status]).toEqual([200, 403]);
  });

  it('closes the whole package in quarantine, until the Team decides otherwise', async () => {
    const one = await sent(three);
    const { headers, idOf, download } = await asRecipient(one);
    await setPolicy('quarantine');
    expect(await one.open()).toMatchObject({ status: 403, body: { message: expect.stringContaining('quarantine') } });
    expect(await download(idOf('clean.txt'))).toMatchObject({ status: 403, body: { message: expect.stringContaining('quarantine') } });
    expect((await t.call('GET', `${one.base}/files`, { headers })).status).toBe(403);
    const preview = await t.call('GET', `${one.base}/files/${idOf('clean.txt')}/preview`, { headers: one.sender.token });
    expect(preview.status).toBe(403);
    await setPolicy('warn');
    expect((await download(idOf('ill.txt'))).status).toBe(200);
  });

  it('says in every list that a package contains a virus', async () => {
    const clean = await sent({ 'a.txt': 'a' });
    const ill = await sent({ 'a.txt': testVirus });
    const flags = async (path: string) => {
      const { status, body } = await t.call<{ records: { id: string; contains_virus: boolean }[] }>('GET', path, { headers: owner() });
      expect(status).toBe(200);
      return [ill, clean].map(({ sender }) => body.records.find(({ id }) => id === sender.package.id)?.contains_virus);
    };
    expect(await flags(`/v1.1/teams/${t.teamId}/packages`)).toEqual([true, false]);
    const one = await t.call('GET', `/v1/teams/${t.teamId}/packages/${ill.sender.package.id}`, { headers: owner() });
    expect(one.body).toMatchObject({ contains_virus: true });
  });

  it('gives a storage gateway no more than the Team lets others have', async () => {
    const one = await sent(three);
    const { idOf } = await asRecipient(one);
    const gateway = await putGateway(t);
    const connection = await connectBy(t, gateway);
    expect((await askTransfer(t, one.sender, { cloud_connection_id: connection.id })).status).toBe(201);
    const task = only(await poll(t, gateway, { mounts: [ok(connection)] }), 'deliver');
    const headers = { 'x-package-token': task.read_token };
    const alone = async (name: string) => (await t.call('GET', `${one.base}/files/${idOf(name)}/download`, { headers })).status;
    const batch = () =>
      t.call<{ files: { url?: string }[] }>('POST', `${one.base}/files/batch/download`, {
        headers,
        body: { file_ids: ['clean.txt', 'ill.txt'].map(idOf) },
      });
    expect([await alone('clean.txt'), await alone('ill.txt')]).toEqual([200, 403]);
    expect((await batch()).body.files.map(({ url }) => url !== undefined)).toEqual([true, false]);
    await setPolicy('quarantine');
    expect([await alone('clean.txt'), (await batch()).status]).toEqual([403, 403]);
  });

  it.each([
    ['block', ['clean.txt', 'large.bin']],
    ['quarantine', []],
  ] as const)('delivers to connected storage what %s leaves, and says of the rest why not', async (policy, arrives) => {
    const clouds = useInMemoryClouds(t);
    const one = await sent(three);
    await setPolicy(policy);
    const made = await askTransfer(t, one.sender, { cloud_connection_id: await putConnection(t) });
    expect((await transferBecomes(t, made.body, 'error')).error).toContain('A virus was found in this file or its package');
    expect([...clouds.cloud.files.keys()].map((path) => path.split('/').at(-1)).toSorted()).toEqual(arrives);
  });

  it('mails no link into a quarantined package, and its sender a receipt all the same', async () => {
    const one = await sent(three);
    await setPolicy('quarantine');
    const read = (kind: 'link' | 'receipt') =>
      readLetter(
        t.service.services.db,
        {
          ...{ kind, package_id: one.sender.package.id, recipient: 'post@example.com', language: 'en' },
          link_id: kind === 'link' ? one.link.id : null,
        },
        t.service.services,
      );
    expect(await read('link')).toEqual({ withdrawn: 'A virus was found in the package, and its Team keeps it in quarantine.' });
    expect(await read('receipt')).not.toHaveProperty('withdrawn');
  });

  it('tells webhooks of the first virus of a package, once, and that it was scanned', async () => {
    const heard: WebhookPayload[] = [];
    const receiver = await startHttpServer(async (request, response) => {
      heard.push(JSON.parse(String(await bodyOf(request))) as WebhookPayload);
      response.end();
    });
    try {
      const made = await t.call<{ id: string }>('POST', `/v1/teams/${t.teamId}/custom_webhooks`, {
        headers: owner(),
        body: { active: true, events: ['package.virus_found', 'package.scanned'], method: 'POST', url: receiver.url, scope: 'team' },
      });
      expect(made.status).toBe(201);
      const { sender } = await sent({ 'a.txt': testVirus, 'b.txt': testVirus });
      await eventually('the webhook is told', async () => heard.length > 1);
      heard.sort((a, b) => b.event_type.localeCompare(a.event_type));
      expect(heard).toEqual([
        expect.objectContaining({
          event_type: 'package.virus_found',
          object: expect.objectContaining({
            id: sender.package.id,
            type: 'package',
            virus: { file_id: expect.any(String), path: '', name: expect.stringMatching(/^[ab]\.txt$/), virus: testVirusName },
          }),
        }),
        expect.objectContaining({
          event_type: 'package.scanned',
          object: expect.objectContaining({
            id: sender.package.id,
            contains_virus: true,
            scan: { files: 2, infected: 2, not_scanned: 0 },
          }),
        }),
      ]);
      await t.call('DELETE', `/v1/custom_webhooks/${made.body.id}`, { headers: owner() });
    } finally {
      await receiver.close();
    }
  });

  it('goes on after the scanner was away, and says meanwhile that it is', async () => {
    await clamd.kill();
    const sender = await newSender(t);
    await sender.send('', 'ill.txt', Buffer.from(testVirus));
    await sender.finalize();
    const row = () => scanOf(sender.package.id);
    await eventually('an attempt has failed', async () => (await row()).attempts > 0);
    const problems = (await t.service.services.facts.health.problems()).map(({ error }) => error);
    expect(problems).toContain('scanner_unavailable');
    await clamd.start();
    clockAhead += 3_600_000;
    await runJob(t.service.services, 'viruses.scan', {});
    expect(await row()).toMatchObject({ state: 'done', infected: 1, attempts: 0 });
    expect((await t.service.services.facts.health.problems()).map(({ error }) => error)).not.toContain('scanner_unavailable');
  });

  it('waits for a scanner that hangs, for a bounded time, holds up nothing else, and scans all once it goes on', async () => {
    const { db, facts } = t.service.services;
    const problems = async () => (await facts.health.problems()).map(({ error }) => error);
    const ill = async (recipient: string) => {
      const sender = await newSender(t, { recipients: [recipient] });
      await sender.send('', 'ill.txt', Buffer.from(testVirus));
      expect((await sender.finalize()).status).toBe(204);
      return sender;
    };
    clamd.hang();
    try {
      // The service's own worker has this one.
      const first = await ill('hangs-first@example.com');
      await eventually('its scan is under way', async () => (await scanOf(first.package.id)).leased_until !== null);
      const second = await ill('hangs-second@example.com');
      // What other jobs do.
      await eventually('both are mailed', async () => {
        const sent = await db
          .selectFrom('messages')
          .select('recipient')
          .distinct()
          .where('recipient', 'like', 'hangs-%')
          .where('state', '=', 'sent')
          .execute();
        return sent.length === 2;
      });
      const [link] = await second.links();
      const headers = { 'x-package-token': (await openLink(t, link!)).body.package_token };
      const base = `/v1/packages/${second.package.id}/files`;
      const { id } = (await t.call<File[]>('GET', base, { headers })).body.find(({ name }) => name === 'ill.txt')!;
      const download = async () => (await t.call('GET', `${base}/${id}/download`, { headers })).status;
      // As long as nobody knows of a virus.
      expect(await download()).toBe(200);

      const hasty = openClamd(parseClamdUrl(clamd.url), { idleMilliseconds: 50 });
      await runJob(t.service.services, 'viruses.scan', {}, { instead: { scanner: hasty } });
      expect(await scanOf(second.package.id)).toMatchObject({ state: 'pending', attempts: 1, unscanned: 0, leased_until: null });
      expect(await problems()).toContain('scanner_unavailable');
      expect((await scanCondition(db, t.service.services.now())).waiting).toBe(2);

      clamd.goOn();
      await scanned(first.package.id);
      clockAhead += 3_600_000;
      await runJob(t.service.services, 'viruses.scan', {});
      await scanned(second.package.id);
      for (const { package: one } of [first, second])
        expect(await scanOf(one.id)).toMatchObject({ infected: 1, unscanned: 0, attempts: 0 });
      expect(await problems()).not.toContain('scanner_unavailable');
      expect(await download()).toBe(403);
    } finally {
      clamd.goOn();
    }
  });

  it('takes over what a process left amid a package, after its lease', async () => {
    const sender = await newSender(t);
    await sender.send('', 'ill.txt', Buffer.from(testVirus));
    await sender.finalize();
    await scanned(sender.package.id);
    const { db, now } = t.service.services;
    const leased = new Date(now().getTime() + 60_000);
    await db
      .updateTable('package_scans')
      .set({ state: 'pending', position: null, leased_until: leased })
      .where('package_id', '=', sender.package.id)
      .execute();
    const state = async () => (await scanOf(sender.package.id)).state;
    await runJob(t.service.services, 'viruses.scan', {});
    expect(await state()).toBe('pending');
    clockAhead += 120_000;
    await runJob(t.service.services, 'viruses.scan', {});
    expect(await state()).toBe('done');
  });
});
