import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveryOf, openSmtp, type SmtpFailure } from '#service/mail/smtp.ts';
import { parseSmtpUrl } from '#service/mail/smtp-url.ts';
import { startMailServer, type TestMailServer } from '#test/support/service/mail-server.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const run = promisify(execFile);
let folder: Awaited<ReturnType<typeof tempFolder>>;
let ca: string;
let secured: TestMailServer;
let plain: TestMailServer;
beforeAll(async () => {
  folder = await tempFolder();
  const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'],
    ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
  ]);
  ca = encodeURIComponent(cert);
  [secured, plain] = await Promise.all([
    startMailServer({
      key: await readFile(key),
      cert: await readFile(cert),
      onAuth: ({ username, password }, _session, done) =>
        username === 'mia' && password === 'right' ? done(null, { user: username }) : done(new Error('Wrong password')),
    }),
    startMailServer(),
  ]);
});
afterAll(async () => {
  await Promise.all([secured?.close(), plain?.close()]);
  await folder?.remove();
});

const deliver = (url: string, to = 'a@x.org') =>
  openSmtp(parseSmtpUrl(url)).deliver(
    { id: 'm1', from: 'files@harbour.example', to, content: Buffer.from('Subject: x\r\n\r\nhello\r\n.dots\r\n') },
    new AbortController().signal,
  );

describe('sending by SMTP', () => {
  it('delivers a message unchanged', async () => {
    expect(await deliver(`smtp://127.0.0.1:${plain.port}`)).toEqual({ outcome: 'sent' });
    expect(plain.received.at(-1)).toMatchObject({
      from: 'files@harbour.example',
      to: ['a@x.org'],
      secure: false,
      content: 'Subject: x\r\n\r\nhello\r\n.dots\r\n',
    });
  });

  it('uses TLS where it is offered, and signs in', async () => {
    expect(await deliver(`smtp://mia:right@127.0.0.1:${secured.port}?ca=${ca}`)).toEqual({ outcome: 'sent' });
    expect(secured.received.at(-1)).toMatchObject({ secure: true, user: 'mia' });
  });

  it('takes any certificate of this machine, where mail may go in clear', async () => {
    expect(await deliver(`smtp://mia:right@127.0.0.1:${secured.port}`)).toEqual({ outcome: 'sent' });
    expect(secured.received.at(-1)).toMatchObject({ secure: true, user: 'mia' });
  });

  it('sends nothing where TLS, a trusted certificate or the password is missing', async () => {
    const before = secured.received.length + plain.received.length;
    for (const [url, reason] of [
      [`smtp://mia:right@127.0.0.1:${secured.port}?tls=required`, /self-signed/],
      [`smtp://mia:wrong@127.0.0.1:${secured.port}?tls=required&ca=${ca}`, /^AUTH/],
      [`smtp://127.0.0.1:${plain.port}?tls=required`, /STARTTLS/],
      ['smtp://127.0.0.1:1', /ECONNREFUSED/],
    ] as const) {
      const result = await deliver(url);
      expect(result).toMatchObject({ outcome: 'delayed', reason: expect.stringMatching(reason) });
      expect(JSON.stringify(result)).not.toMatch(/wrong|right/);
    }
    expect(secured.received.length + plain.received.length).toBe(before);
  });

  it('cannot be made to send another recipient or command', async () => {
    const before = plain.asked.length;
    for (const to of ['a@x.org>\r\nRCPT TO:<victim@x.org', 'a@x.org\r\nDATA', '<a@x.org>']) {
      expect(await deliver(`smtp://127.0.0.1:${plain.port}`, to)).toMatchObject({ outcome: 'refused' });
    }
    expect(plain.asked.slice(before)).toEqual([]);
  });

  it('retries later where the server answers with an invalid line or disconnects', async () => {
    const servers: Server[] = [];
    for (const greeting of ['', 'HTTP/1.1 400 Bad Request\r\n\r\n', '554 Go away\r\n']) {
      const server = createServer((socket) => socket.on('error', () => undefined).end(greeting)).listen(0, '127.0.0.1');
      servers.push(server);
      await new Promise((resolve) => server.once('listening', resolve));
      expect(await deliver(`smtp://127.0.0.1:${(server.address() as { port: number }).port}`)).toMatchObject({ outcome: 'delayed' });
    }
    for (const server of servers) server.close();
  });
});

describe('what a failure means', () => {
  const failure = (facts: Partial<SmtpFailure>): SmtpFailure => Object.assign(new Error('it failed'), facts);
  it.each([
    ['refused', 'RCPT TO', 550],
    ['refused', 'DATA', 554],
    ['delayed', 'RCPT TO', 450],
    ['delayed', 'DATA', 452],
    ['delayed', 'MAIL FROM', 550],
    ['delayed', 'AUTH PLAIN', 535],
    ['delayed', 'CONN', 554],
    ['delayed', 'STARTTLS', 502],
  ] as const)('is %s at %s with %i', (outcome, command, responseCode) => {
    expect(deliveryOf(failure({ command, responseCode, response: `${responseCode} said` }))).toEqual({
      outcome,
      reason: `${command}: ${responseCode} said`,
    });
  });
  it('is one bounded line, whatever the server says', () => {
    const { reason } = deliveryOf(
      failure({ command: 'DATA', responseCode: 451, response: `451 a\r\nb\u001b[31m${'x'.repeat(9_999)}` }),
    ) as {
      reason: string;
    };
    expect(reason).toMatch(/^DATA: 451 a b \[31mx+…$/);
    expect(reason).toHaveLength(500);
  });
});

describe('a mail server by URL', () => {
  it.each([
    ['smtp://mail.example.com', { port: 25, tls: 'required', auth: null }],
    ['smtp://a%40x:p%2Fw@mail.example.com', { port: 587, tls: 'required', auth: { user: 'a@x', pass: 'p/w' } }],
    ['smtps://mail.example.com/', { port: 465, tls: 'implicit' }],
    ['smtp://127.0.0.1:2525', { port: 2525, tls: 'optional' }],
    ['smtp://[::1]', { host: '::1', tls: 'optional' }],
    ['smtp://mail.example.com?tls=off', { tls: 'off' }],
  ] as const)('%s', (url, expected) => {
    expect(parseSmtpUrl(url)).toMatchObject(expected);
  });

  it.each([
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://s3cret:s3cret@mail.example.com?tls=optional',
    'smtp://s3cret:s3cret%@mail.example.com',
    'smtp://s3cret:s3cret@mail.example.com/path',
    'smtp://s3cret:s3cret@mail.example.com?tls=maybe',
    'smtps://s3cret:s3cret@mail.example.com?tls=off',
    'smtp://s3cret:s3cret@mail.example.com?pool=true',
    'smtp://s3cret:s3cret@mail.example.com?ca=/nowhere/ca.pem',
  ])('refuses %s, without saying a secret', (url) => {
    expect(() => parseSmtpUrl(url)).toThrow(
      expect.objectContaining({ code: 'option_invalid', message: expect.not.stringContaining('s3cret') }),
    );
  });

  it('refuses a file without certificates', async () => {
    const file = join(folder.path, 'empty.pem');
    await writeFile(file, 'nothing');
    expect(() => parseSmtpUrl(`smtp://mail.example.com?ca=${encodeURIComponent(file)}`)).toThrow(/no certificate/);
  });
});

it('writes nothing by itself where the machine has no network but loopback', async () => {
  // In a process of its own: nodemailer looks at the machine once.
  const program = `
    import os from 'node:os';
    os.networkInterfaces = () => ({ lo: [{ address: '127.0.0.1', family: 'IPv4', internal: true }] });
    const { verifySmtp } = await import(${JSON.stringify(import.meta.resolve('#service/mail/smtp.ts'))});
    await verifySmtp({ host: 'localhost', port: ${plain.port}, tls: 'off', auth: null, ca: null });`;
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout + stderr).toBe('');
});
