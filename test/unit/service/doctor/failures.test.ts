import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { request } from 'undici';
import { afterEach, expect, it } from 'vitest';
import { explain, failed } from '#service/doctor/failures.ts';
import { reach } from '#service/doctor/reach.ts';
import { verifySmtp } from '#service/mail/smtp.ts';
import { parseSmtpUrl } from '#service/mail/smtp-url.ts';
import { hasPrograms } from '#test/support/system/programs.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';
import { makeCertificate } from '#test/support/system/tls-proxy.ts';

/** What the doctor says of connections that fail: never Node's words alone, and what to do. */

const withCode = (code: string, more: object = {}): Error => Object.assign(new Error(`Node's words for ${code}`), { code, ...more });

it.each<[string, Error, string, string]>([
  [
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    withCode('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'),
    'an authority that this machine does not trust',
    'NODE_EXTRA_CA_CERTS',
  ],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', withCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'sends no intermediate certificates', 'fullchain.pem'],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    withCode('SELF_SIGNED_CERT_IN_CHAIN'),
    'an authority that this machine does not trust',
    'NODE_EXTRA_CA_CERTS',
  ],
  ['an own authority of a mail server', withCode('SELF_SIGNED_CERT_IN_CHAIN'), 'an authority that', '--smtp-url smtps://…?ca='],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 'signed by itself', 'NODE_EXTRA_CA_CERTS'],
  ['a mail server signed by itself', withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 'signed by itself', '--smtp-url smtps://…?ca='],
  ['CERT_HAS_EXPIRED', withCode('CERT_HAS_EXPIRED'), 'has expired', 'Renew it'],
  ['CERT_NOT_YET_VALID', withCode('CERT_NOT_YET_VALID'), 'not good yet', 'Set the clock'],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    withCode('ERR_TLS_CERT_ALTNAME_INVALID', { host: 'b.example.com', cert: { subjectaltname: 'DNS:a.example.com, IP Address:10.0.0.1' } }),
    'its certificate is for a.example.com, 10.0.0.1, not for b.example.com',
    'Get a certificate for that name',
  ],
  ['ERR_SSL_WRONG_VERSION_NUMBER', withCode('ERR_SSL_WRONG_VERSION_NUMBER'), 'no TLS is spoken', 'Look at its port'],
  ['ECONNREFUSED', withCode('ECONNREFUSED'), 'connections are refused', 'Look whether the program runs'],
  [
    'ECONNREFUSED of all addresses of a name',
    new AggregateError([withCode('ECONNREFUSED')], ''),
    'connections are refused',
    'Look whether',
  ],
  [
    'ECONNREFUSED, as nodemailer tells it',
    withCode('ESOCKET', { originalCode: 'ECONNREFUSED' }),
    'connections are refused',
    'Look whether',
  ],
  ['a number of the system', withCode('ESOCKET', { errno: -111 }), 'connections are refused', 'Look whether'],
  ['ECONNRESET', withCode('ECONNRESET'), 'closed before an answer', 'proxies between'],
  ['ENOTFOUND', withCode('ENOTFOUND'), 'there is no such name', 'DNS records'],
  ['ENOTFOUND as a cause', new Error('Told by another', { cause: withCode('ENOTFOUND') }), 'there is no such name', 'DNS records'],
  ['EAI_AGAIN', withCode('EAI_AGAIN'), 'the name server does not answer', '/etc/resolv.conf'],
  ['ETIMEDOUT', withCode('ETIMEDOUT'), 'no answer came in time', 'firewall'],
  ['a signal of ours', new DOMException('The operation was aborted', 'TimeoutError') as Error, 'no answer came in time', 'firewall'],
  ['EHOSTUNREACH', withCode('EHOSTUNREACH'), 'no way to it', 'routes'],
])('explains %s in our words', (_, error, reason, action) => {
  const said = failed('public address', 'https://b.example.com does not lead to the service', error, 'Usual.');
  expect(said).toMatchObject({ about: 'public address', status: 'fail' });
  expect(said.seen).toMatch(/^https:\/\/b\.example\.com does not lead to the service: .*\w\.$/);
  expect(said.seen).toContain(reason);
  expect(said.seen).not.toContain("Node's words");
  expect(said.action).toContain(action);
});

it('passes on what it does not know, with the usual way out', () => {
  expect(failed('mail', 'The mail server cannot be used', new Error('Invalid login: 535 5.7.8 no.'), 'Usual.')).toEqual({
    about: 'mail',
    status: 'fail',
    seen: 'The mail server cannot be used: Invalid login: 535 5.7.8 no.',
    action: 'Usual.',
  });
  expect(explain('nothing that is an error')).toEqual({ reason: 'it failed' });
});

let open: { close(): unknown }[] = [];
afterEach(() => {
  for (const one of open) one.close();
  open = [];
});
async function portOf(server: Server): Promise<number> {
  open.push(server.listen(0, '127.0.0.1').on('connection', (socket) => open.push({ close: () => socket.destroy() })));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
const tlsServer = (options: TlsOptions): Server => createTlsServer(options).on('tlsClientError', () => undefined);
const reasonOfReach = async (url: string): Promise<string> => {
  try {
    await reach(new URL(url));
  } catch (error) {
    return explain(error).reason;
  }
  return 'none';
};

it.skipIf(!hasPrograms('openssl'))('knows what Node and its libraries really throw', async () => {
  const folder = await tempFolder();
  try {
    const own = await makeCertificate(folder.path);
    const port = await portOf(tlsServer(own));
    expect(await reasonOfReach(`https://127.0.0.1:${port}`)).toContain('an authority that this machine does not trust');
    await expect(verifySmtp(parseSmtpUrl(`smtps://127.0.0.1:${port}`)).catch((error) => explain(error).reason)).resolves.toContain(
      'an authority that this machine does not trust',
    );
    const plain = await portOf(createHttpServer((_, response) => void response.end()));
    expect(await reasonOfReach(`https://127.0.0.1:${plain}`)).toContain('no TLS is spoken');
    const cutting = await portOf(createServer((socket) => void socket.resetAndDestroy()).on('error', () => undefined));
    expect(await reasonOfReach(`https://127.0.0.1:${cutting}`)).toContain('closed before an answer');
    const ending = await portOf(createServer((socket) => void socket.end('SSH-2.0-x\r\n')));
    const answer = request(`http://127.0.0.1:${ending}/healthz`).catch((error: unknown) => explain(error).reason);
    expect(await answer).toContain('speaks no HTTP');
    const gone = await portOf(createServer());
    open.pop()!.close();
    expect(await reasonOfReach(`http://127.0.0.1:${gone}`)).toContain('connections are refused');
    expect(await reasonOfReach('http://nowhere.invalid')).toMatch(/there is no such name|the name server does not answer/);
  } finally {
    await folder.remove();
  }
});
