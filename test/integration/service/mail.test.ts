import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import type { SMTPServerOptions } from 'smtp-server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Image } from '#protocol/hosted/images.ts';
import { newId } from '#service/ids.ts';
import { failedMails, sendAgain } from '#service/mail/failed.ts';
import type { ServiceOptions } from '#service/server.ts';
import { png } from '#test/support/service/images.ts';
import { inPairs } from '#test/support/service/in-pairs.ts';
import { hurryJobs, runJob } from '#test/support/service/jobs.ts';
import { parseMail, startMailServer, type TestMailServer } from '#test/support/service/mail-server.ts';
import { newSender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addUser } from '#test/support/service/users.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

inPairs();

const run = promisify(execFile);

const messagesOf = (t: TestService, packageId: string) =>
  t.service.services.db.selectFrom('messages').selectAll().where('package_id', '=', packageId).orderBy('recipient').execute();

const hurry = (t: TestService) => hurryJobs(t.service.services.db, 'mail.send');

async function finalized(t: TestService, fields: Record<string, unknown>) {
  const sender = await newSender(t, fields);
  await sender.send('', 'a.txt', Buffer.from('hello'));
  expect((await sender.finalize()).status).toBe(204);
  return sender;
}

const allAre = async (t: TestService, packageId: string, count: number, ...states: string[]) => {
  const rows = await messagesOf(t, packageId);
  return rows.length === count && rows.every(({ state }) => states.includes(state));
};

describe('mail by a mail server', () => {
  let server: TestMailServer;
  let t: TestService;
  beforeAll(async () => {
    server = await startMailServer();
    t = await startTestService({
      smtpUrl: `smtp://127.0.0.1:${server.port}`,
      mailFrom: 'Harbour Films <files@harbour.example>',
      publicUrl: 'https://files.harbour.example',
    });
  });
  afterAll(async () => {
    await t?.close();
    await server?.close();
  });
  afterEach(() => {
    server.answer = () => null;
    server.cuts = 0;
    server.received.length = 0;
    server.asked.length = 0;
  });

  it('tells each recipient by a link of their own, and the sender by a receipt', async () => {
    const sender = await finalized(t, {
      name: 'Rushes <b>Tag 1</b> ü',
      description: 'Hello,\n<script>alert(1)</script>\nbye',
      recipients: ['a@x.org', 'b@x.org'],
      password: 'harbour lights',
    });
    await eventually('three messages', async () => server.received.length === 3);
    const links = await sender.links();
    const byRecipient = new Map(server.received.map((mail) => [mail.to.join(), parseMail(mail.content)]));
    expect([...byRecipient.keys()].sort()).toEqual(['a@x.org', 'b@x.org', sender.package.sender].sort());
    for (const link of links) {
      const mail = byRecipient.get(link.email)!;
      expect(link.url).toMatch(/^https:\/\/files\.harbour\.example\/d\//);
      expect(mail.text).toContain(link.url);
      expect(mail.html).toContain(`href="${link.url}"`);
      for (const other of links) if (other !== link) expect(mail.text + mail.html).not.toContain(other.download_secret);
      expect(mail.headers.get('from')).toBe('Harbour Films <files@harbour.example>');
      expect(mail.headers.get('reply-to')).toBe(sender.package.sender);
      expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
      expect(mail.headers.get('subject')).toBe(`${sender.package.sender} sent you “Rushes <b>Tag 1</b> ü”`);
      expect(mail.text).toContain('1 file, 5 bytes');
      expect(mail.text).toContain('> <script>alert(1)</script>');
      expect(mail.html).not.toContain('<script');
      expect(mail.html).toContain('&lt;b&gt;Tag 1&lt;/b&gt;');
      expect(mail.text).toMatch(/Password: +Needed/);
      expect(mail.text + mail.html).not.toContain('harbour lights');
    }
    const receipt = byRecipient.get(sender.package.sender)!;
    expect(receipt.text).toContain('a@x.org, b@x.org');
    for (const link of links) expect(receipt.text + receipt.html).not.toContain(link.download_secret);
    await eventually('all noted as sent', () => allAre(t, sender.package.id, 3, 'sent'));
  });

  it("looks like its Team, with its logo and legal pages, in the recipient's language", async () => {
    const key = { 'x-api-key': t.apiKey };
    const logo = png({ width: 64, height: 32 });
    const { body: image } = await t.call<Image>('POST', `/v1/teams/${t.teamId}/images`, {
      headers: key,
      body: { data: logo.toString('base64') },
    });
    const set = (body: Record<string, unknown>) => t.call('PUT', `/v1/teams/${t.teamId}`, { headers: key, body });
    const legal = { imprint_url: 'https://example.com/imprint?a="b', privacy_url: 'https://example.com/privacy' };
    const changed = await set({ ...legal, primary_color: '#FFEE00', logo_url: image.url, mail_language: 'de' });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    const member = await addUser(t, 'member');
    await t.service.services.db.updateTable('users').set({ language: 'en' }).where('id', '=', member.userId).execute();
    // In other letters than the account's.
    const address = member.email.replace(/^\w+/, (role) => role.toUpperCase());
    const sender = await finalized(t, { recipients: ['a@x.org', address], name: 'Tag 1' });
    await eventually('three messages', async () => server.received.length === 3);
    const mailTo = (address: string) => parseMail(server.received.find(({ to }) => to.includes(address))!.content);
    const german = mailTo('a@x.org');
    expect(german.headers.get('subject')).toBe(`${sender.package.sender} hat Ihnen „Tag 1“ gesendet`);
    expect(german.headers.get('content-language')).toBe('de');
    expect(german.html).toContain(`<img src="https://files.harbour.example/images/${image.id}" width="64" height="32" alt="`);
    expect(german.html).toContain('background:#ffee00;color:#000000;');
    expect(german.html).toContain('href="https://example.com/imprint?a=%22b"');
    expect(german.text).toContain('Impressum: https://example.com/imprint?a=%22b\nDatenschutz: https://example.com/privacy\n');
    expect(mailTo(address).headers.get('subject')).toBe(`${sender.package.sender} sent you “Tag 1”`);
    expect((await set({ imprint_url: '', privacy_url: '', primary_color: '', logo_url: '', mail_language: '' })).status).toBe(200);
  });

  it('makes no second message when the package is finalized or announced again', async () => {
    const sender = await finalized(t, { recipients: ['a@x.org'] });
    await sender.finalize();
    await t.service.services.jobs.add(t.service.services.db, 'mail.announce', { package_id: sender.package.id });
    await eventually('both sent', () => allAre(t, sender.package.id, 2, 'sent'));
    const [message] = await messagesOf(t, sender.package.id);
    await t.service.services.jobs.add(t.service.services.db, 'mail.send', { message_id: message!.id });
    await t.service.services.jobs.add(t.service.services.db, 'mail.send', { message_id: newId() });
    await eventually('all jobs done', async () => {
      const { rows } = await sql`select 1 from jobs.job where name like 'mail.%' and state in ('created', 'retry', 'active')`.execute(
        t.service.services.db,
      );
      return rows.length === 0;
    });
    expect(server.received).toHaveLength(2);
  });

  it('tries again what was refused for now, as the same message', async () => {
    let refusals = 2;
    const seen: string[] = [];
    server.answer = (recipient) => {
      if (recipient !== 'slow@x.org' || refusals === 0) return null;
      refusals -= 1;
      return { code: 451, text: 'Greylisted, come back' };
    };
    const sender = await finalized(t, { recipients: ['slow@x.org'] });
    const ofSlow = async () => (await messagesOf(t, sender.package.id)).find(({ recipient }) => recipient === 'slow@x.org');
    await eventually('the first refusal is noted', async () => (await ofSlow())?.last_error.includes('Greylisted') ?? false);
    expect(await ofSlow()).toMatchObject({ state: 'waiting' });
    await eventually('it is sent', async () => {
      await hurry(t);
      return (await ofSlow())?.state === 'sent';
    });
    expect(await ofSlow()).toMatchObject({ attempts: 3 });
    for (const mail of server.received) if (mail.to.includes('slow@x.org')) seen.push(parseMail(mail.content).headers.get('message-id')!);
    expect(seen).toEqual([`<${(await ofSlow())!.id}@harbour.example>`]);
  });

  it('leaves alone what a later attempt has made of a message, where its own lease ran out meanwhile', async () => {
    const sender = await finalized(t, { recipients: ['stood@x.org'] });
    await eventually('all are sent', () => allAre(t, sender.package.id, 2, 'sent'));
    const { id } = (await messagesOf(t, sender.package.id))[0]!;
    const { services } = t.service;
    const change = (set: object) => services.db.updateTable('messages').set(set).where('id', '=', id).execute();
    await change({ state: 'waiting', busy_until: null });
    const transport = {
      ...services.mail.transport,
      // The process stands here for longer than its lease; another one sends the message.
      async deliver() {
        await change({ state: 'sent', busy_until: null, attempts: 7 });
        return { outcome: 'delayed', reason: 'The connection was cut.' } as const;
      },
    };
    await runJob(services, 'mail.send', { message_id: id }, { instead: { mail: { ...services.mail, transport } } });
    expect((await messagesOf(t, sender.package.id)).find((message) => message.id === id)).toMatchObject({ state: 'sent', attempts: 7 });
  });

  it('notes what was refused for good, does not try it again, and sends the others', async () => {
    server.answer = (recipient) => (recipient === 'gone@x.org' ? { code: 550, text: 'No such mailbox' } : null);
    const sender = await finalized(t, { recipients: ['gone@x.org', 'here@x.org'] });
    await eventually('all are done', () => allAre(t, sender.package.id, 3, 'sent', 'refused'));
    const gone = (await messagesOf(t, sender.package.id)).find(({ recipient }) => recipient === 'gone@x.org');
    expect(gone).toMatchObject({ state: 'refused', attempts: 1, last_error: expect.stringContaining('No such mailbox') });
    expect(server.asked.filter((address) => address === 'gone@x.org')).toHaveLength(1);
    expect(server.received.map(({ to }) => to[0]).sort()).toEqual(['here@x.org', sender.package.sender].sort());

    // An operator sees it, and sends it again once the mailbox is there.
    const { db } = t.service.services;
    const failed = async () => (await failedMails(db)).filter(({ package_id }) => package_id === sender.package.id);
    expect(await failed()).toMatchObject([{ id: gone!.id, state: 'refused', reason: expect.stringContaining('No such mailbox') }]);
    expect(await failedMails(db, { before: gone!.id })).not.toContainEqual(expect.objectContaining({ id: gone!.id }));
    server.answer = () => null;
    expect([await sendAgain(t.service.services, gone!.id), await sendAgain(t.service.services, gone!.id)]).toEqual([true, false]);
    await eventually('it is sent', () => allAre(t, sender.package.id, 3, 'sent'));
    expect(await failed()).toEqual([]);
  });

  it('sends again after a connection that broke in the middle, once and whole', async () => {
    server.cuts = 1;
    const sender = await finalized(t, { recipients: ['cut@x.org'], description: 'long\n'.repeat(1_500) });
    await eventually('both are sent', async () => {
      await hurry(t);
      return await allAre(t, sender.package.id, 2, 'sent');
    });
    expect(server.received).toHaveLength(2);
    expect(server.received.map(({ to }) => to[0]).sort()).toEqual(['cut@x.org', sender.package.sender].sort());
    expect(Math.max(...(await messagesOf(t, sender.package.id)).map(({ attempts }) => attempts))).toBe(2);
  });

  it('sends nothing for a link that was disabled, or a package that was over, before its turn', async () => {
    server.answer = () => ({ code: 450, text: 'Busy' });
    const disabled = await finalized(t, { recipients: ['late@x.org'] });
    const expired = await finalized(t, { recipients: ['later@x.org'] });
    await eventually('both wait', async () => {
      const rows = [...(await messagesOf(t, disabled.package.id)), ...(await messagesOf(t, expired.package.id))];
      return rows.length === 4 && rows.every(({ attempts, busy_until }) => attempts > 0 && busy_until === null);
    });
    const [link] = await disabled.links();
    await t.call('DELETE', `/v1/packages/${disabled.package.id}/links/${link!.id}`, { headers: disabled.token });
    await t.service.services.db
      .updateTable('packages')
      .set({ expiry: new Date(Date.now() - 1_000) })
      .where('id', '=', expired.package.id)
      .execute();
    server.answer = () => null;
    await eventually('none waits', async () => {
      await hurry(t);
      return (await allAre(t, disabled.package.id, 2, 'sent', 'withdrawn')) && (await allAre(t, expired.package.id, 2, 'withdrawn'));
    });
    expect(server.received.map(({ to }) => to[0])).toEqual([disabled.package.sender]);
  });

  it('sends what waited once the mail server is back, after a restart too', async () => {
    const other = await startMailServer();
    const options: Partial<ServiceOptions> = {
      smtpUrl: `smtp://127.0.0.1:${other.port}`,
      mailFrom: 'files@harbour.example',
    };
    const first = await startTestService(options);
    try {
      other.answer = () => ({ code: 421, text: 'Closing' });
      const sender = await finalized(first, { recipients: ['a@x.org'] });
      await eventually('a first attempt was made', async () =>
        (await messagesOf(first, sender.package.id)).every(({ attempts }) => attempts > 0),
      );
      await first.stop();
      other.answer = () => null;
      const second = await startTestService({ ...options, dataDir: first.dataDir, databaseUrl: first.databaseUrl });
      await eventually('both are sent', async () => {
        await hurry(second);
        return await allAre(second, sender.package.id, 2, 'sent');
      });
      await second.close();
      expect(other.received.map(({ to }) => to[0]).sort()).toEqual(['a@x.org', sender.package.sender].sort());
    } finally {
      await first.close();
      await other.close();
    }
  });
});

describe('mail by a mail server with TLS and sign-in', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let certificate: { readonly key: Buffer; readonly cert: Buffer; readonly file: string };
  beforeAll(async () => {
    folder = await tempFolder();
    const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'],
      ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
    ]);
    certificate = { key: await readFile(key), cert: await readFile(cert), file: cert };
  });
  afterAll(() => folder?.remove());

  const signIn: SMTPServerOptions['onAuth'] = ({ username, password }, _session, done) =>
    username === 'mia' && password === 'p@ss/wörd' ? done(null, { user: username }) : done(new Error('Wrong password'));
  const from = { mailFrom: 'files@harbour.example' };

  it.each([
    ['smtp', false],
    ['smtps', true],
  ] as const)('signs in over %s, verified', async (scheme, secure) => {
    const server = await startMailServer({ key: certificate.key, cert: certificate.cert, secure, onAuth: signIn });
    const auth = `mia:${encodeURIComponent('p@ss/wörd')}`;
    const tls = scheme === 'smtp' ? '&tls=required' : '';
    const t = await startTestService({
      ...from,
      smtpUrl: `${scheme}://${auth}@127.0.0.1:${server.port}?ca=${encodeURIComponent(certificate.file)}${tls}`,
    });
    try {
      const sender = await finalized(t, { recipients: ['a@x.org'] });
      await eventually('both are sent', () => allAre(t, sender.package.id, 2, 'sent'));
      expect(server.received.map((mail) => [mail.secure, mail.user])).toEqual([
        [true, 'mia'],
        [true, 'mia'],
      ]);
    } finally {
      await t.close();
      await server.close();
    }
  });
});

describe('mail without a mail server', () => {
  it('lies in a folder that only the service can read, and waits while that cannot be written', async () => {
    const t = await startTestService();
    try {
      const outboxes = t.dataDirs.map((dataDir) => join(dataDir, 'outbox'));
      // In the folder's place lies a file.
      for (const outbox of outboxes) await writeFile(outbox, '');
      const sender = await finalized(t, { recipients: ['a@x.org'] });
      await eventually('the reason is noted', async () => {
        const rows = await messagesOf(t, sender.package.id);
        return rows.length === 2 && rows.every(({ last_error }) => last_error.includes('outbox folder cannot be written'));
      });
      for (const outbox of outboxes) {
        await run('rm', [outbox]);
        await mkdir(outbox, { mode: 0o700 });
      }
      await eventually('both are written', async () => {
        await hurry(t);
        return await allAre(t, sender.package.id, 2, 'sent');
      });
      const files = (await Promise.all(outboxes.map(async (outbox) => (await readdir(outbox)).map((name) => ({ outbox, name }))))).flat();
      const ids = (await messagesOf(t, sender.package.id)).map(({ id }) => `${id}.eml`);
      expect(files.map(({ name }) => name).sort()).toEqual(ids.sort());
      for (const { outbox, name } of files) {
        expect((await stat(join(outbox, name))).mode & 0o777).toBe(0o600);
        expect(parseMail(await readFile(join(outbox, name), 'utf8')).headers.get('from')).toBe('Longshore <no-reply@localhost>');
      }
    } finally {
      await t.close();
    }
  });
});
