import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, isIP } from 'node:net';
import { request } from 'undici';
import { hostInUrl } from '#net/host-in-url.ts';
import { readTlsPair, TlsPairError } from '#net/tls-pair.ts';
import { healthPath } from '#protocol/storage/requests.ts';
import { isLoopback } from '../certificates.ts';
import type { HealthProblem } from '../health.ts';
import { headersOf, type IsProxy, ownPortAgent } from '../own-port.ts';
import { soonDays } from '../tls/certificate-end.ts';
import { clockAhead, clockDiagnosis, type Diagnosis, type DoctorOptions, fail, ok, warn } from './diagnosis.ts';
import { failed, reasonOf } from './failures.ts';
import { certificateEnd } from './reach.ts';

const timeoutMilliseconds = 5_000;

/** Ports, certificates, and the public addresses as others see them. */
export async function lookAtNetwork(options: DoctorOptions): Promise<Diagnosis[]> {
  const { listen, publicUrl, storageUrl, storagePublicUrl, tls } = options;
  const storage = options.storageListen ?? { host: listen.host, port: listen.port + 1 };
  const scheme = tls ? 'https' : 'http';
  const [api, own] = await Promise.all([
    lookAtPort('port', listen, scheme, 'healthz', '--listen', headersOf(options, 'api')),
    storageUrl === undefined
      ? lookAtPort('storage port', storage, scheme, healthPath, '--storage-listen', headersOf(options, 'storage'))
      : null,
  ]);
  return [
    ...api.found,
    ...(own?.found ?? []),
    ...(tls ? lookAtCertificate(tls, publicUrl) : []),
    ...(await lookAtPublic('public address', publicUrl, listen.host, 'healthz', api.runs, '--public-url')),
    ...(own ? await lookAtPublic('storage address', storagePublicUrl, null, healthPath, own.runs, '--storage-public-url') : []),
  ];
}

interface Port {
  readonly found: readonly Diagnosis[];
  /** Whether the service answers there. */
  readonly runs: boolean;
}

async function lookAtPort(
  about: string,
  { host, port }: { host: string; port: number },
  scheme: string,
  path: string,
  flag: string,
  isProxy: IsProxy,
): Promise<Port> {
  const address = `${host}:${port}`;
  const url = `${scheme}://${hostInUrl(anyHost.has(host) ? '127.0.0.1' : host)}:${port}/${path}`;
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return { found: [ok(about, `${address} is free: the service does not run there.`)], runs: false };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') {
      // The service may have a right that who asks here has not.
      const running = await lookAtRunning(about, address, url, flag, isProxy);
      const action = 'Give the service CAP_NET_BIND_SERVICE, or a port of 1024 or more.';
      return running.runs ? running : { found: [fail(about, `This user may not listen on ${address}.`, action)], runs: false };
    }
    if (code !== 'EADDRINUSE')
      return {
        found: [failed(about, `${address} cannot be listened on`, error, `Give an address of this machine (${flag}).`)],
        runs: false,
      };
  } finally {
    server.close();
  }
  return lookAtRunning(about, address, url, flag, isProxy);
}

const anyHost = new Set(['0.0.0.0', '::']);

async function lookAtRunning(about: string, address: string, url: string, flag: string, isProxy: IsProxy): Promise<Port> {
  const dispatcher = ownPortAgent(isProxy);
  try {
    const { statusCode, body } = await request(url, { dispatcher, signal: AbortSignal.timeout(timeoutMilliseconds) });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`it answers with ${statusCode}`);
    const problems = problemsIn(text);
    if (problems.length === 0) return { found: [ok(about, `The service answers on ${address}.`)], runs: true };
    return { found: problems.map(healthDiagnosis), runs: true };
  } catch (error) {
    const action = `Stop that program, or let the service listen elsewhere (${flag}).`;
    return { found: [fail(about, `Something that is not this service listens on ${address}: ${reasonOf(error)}.`, action)], runs: false };
  } finally {
    await dispatcher.destroy();
  }
}

type ToldProblem = Pick<HealthProblem, 'error' | 'message'>;

/** Of `/healthz`. Storage answers in words. */
function problemsIn(text: string): readonly ToldProblem[] {
  if (!text.startsWith('{')) return [];
  const { problems = [] } = JSON.parse(text) as { readonly problems?: readonly ToldProblem[] };
  return problems;
}

/** A certificate that ends soon is still good; and no log tells more of it. */
const healthDiagnosis = ({ error, message }: ToldProblem): Diagnosis =>
  error === 'certificate_ends'
    ? warn('health', message, 'See to it that something renews it by itself.')
    : fail('health', message, 'It is in the log of the service, with its reason.');

function lookAtCertificate(files: { readonly cert: string; readonly key: string }, publicUrl: string | undefined): Diagnosis[] {
  try {
    const certificate = new X509Certificate(readTlsPair(files).cert);
    const host = publicUrl && new URL(publicUrl).hostname;
    const isFor = host === undefined || (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
    return [
      endDiagnosis('certificate', `The certificate in ${files.cert}`, certificate.validToDate),
      ...(isFor
        ? []
        : [fail('certificate', `The certificate in ${files.cert} is not for ${host}.`, 'Get one for the name in --public-url.')]),
    ];
  } catch (error) {
    if (!(error instanceof TlsPairError)) throw error;
    const [flag, file] = error.file === 'cert' ? ['--tls-cert', files.cert] : ['--tls-key', files.key];
    return [fail('certificate', `${flag} ${file} cannot be used: ${error.message}.`, 'Put a pair in PEM there that belongs together.')];
  }
}

function endDiagnosis(about: string, what: string, end: Date): Diagnosis {
  const days = Math.floor((end.getTime() - Date.now()) / 86_400_000);
  const action = 'Renew it, and see to it that something renews it by itself.';
  if (days < 0) return fail(about, `${what} has ended on ${end.toISOString().slice(0, 10)}.`, action);
  const seen = `${what} is good for ${days} more days.`;
  return days < soonDays ? warn(about, seen, action) : ok(about, seen);
}

async function lookAtPublic(
  about: string,
  address: string | undefined,
  listenHost: string | null,
  path: string,
  runs: boolean,
  flag: string,
): Promise<Diagnosis[]> {
  if (address === undefined) {
    if (listenHost === null || isLoopback(listenHost)) return [];
    return [
      warn(
        about,
        'Links in mails and pages lead to the address that the service listens on.',
        `Give the one by which others reach it (${flag}).`,
      ),
    ];
  }
  const url = new URL(address);
  const plain = url.protocol === 'http:' && !isLoopback(url.hostname);
  const open: Diagnosis[] = plain
    ? [
        warn(
          about,
          `${address} has no TLS: passwords and files go in the clear.`,
          'Give --tls-cert and --tls-key, or put a proxy with TLS in front.',
        ),
      ]
    : [];
  if (!runs) return [...open, ok(about, `${address} was not looked at, since the service does not run.`)];
  const begun = Date.now();
  try {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    const { statusCode, headers, body } = await request(`${address.replace(/\/+$/, '')}/${path}`, { signal });
    await body.dump();
    if (statusCode !== 200) throw new Error(`it answers with ${statusCode}`);
    const end = await certificateEnd(url);
    const told = Date.parse(String(headers.date));
    return [
      ...open,
      ok(about, `${address} leads to the service.`),
      ...(end ? [endDiagnosis(about, `The certificate of ${address}`, end)] : []),
      // A date has whole seconds.
      ...(Number.isNaN(told)
        ? []
        : [clockDiagnosis(url.host, clockAhead(begun, told + 500, Date.now()), 5)].filter(({ status }) => status !== 'ok')),
    ];
  } catch (error) {
    const action = `Look at its name, its proxy and its certificate, as seen from here; or correct ${flag}.`;
    return [...open, failed(about, `${address} does not lead to the service`, error, action)];
  }
}
