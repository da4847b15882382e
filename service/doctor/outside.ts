import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { request } from 'undici';
import { StorageError } from '#storage/errors.ts';
import { openMail } from '../mail/open.ts';
import { verifySmtp } from '../mail/smtp.ts';
import { parseSmtpUrl } from '../mail/smtp-url.ts';
import { StartError } from '../start-error.ts';
import { clockAhead, clockDiagnosis, type Diagnosis, type DoctorOptions, fail, ok, warn } from './diagnosis.ts';
import { failed } from './failures.ts';

const timeoutMilliseconds = 10_000;

/** The mail server: connects, signs in, and sends nothing. */
export async function lookAtMail({ smtpUrl, mailFrom, publicUrl, dataDir }: DoctorOptions): Promise<Diagnosis[]> {
  const about = 'mail';
  if (smtpUrl === undefined)
    return [
      warn(
        about,
        `There is no mail server: messages are written to ${join(dataDir, 'outbox')}, and reach nobody.`,
        'Give one by --smtp-url.',
      ),
    ];
  try {
    const { from, transport } = openMail({
      ...{ smtpUrl, outbox: join(dataDir, 'outbox'), publicUrl: publicUrl ?? 'http://localhost' },
      ...(mailFrom !== undefined && { from: mailFrom }),
    });
    await verifySmtp(parseSmtpUrl(smtpUrl));
    return [ok(about, `${transport.displayUrl} takes messages from ${from.address}, as far as it says before one.`)];
  } catch (error) {
    const action = 'Correct --smtp-url and --mail-from, or look at the mail server. No message was sent.';
    return [
      error instanceof StartError ? fail(about, error.message, action) : failed(about, 'The mail server cannot be used', error, action),
    ];
  }
}

/** The bucket: rights, what browsers may do there (CORS), and its clock. */
export async function lookAtBucket({ storageUrl, publicUrl, listen }: DoctorOptions): Promise<Diagnosis[]> {
  if (storageUrl === undefined) return [];
  // Loaded only when needed: the S3 client is our largest library.
  const { openStorage } = await import('#storage/open.ts');
  try {
    const { storage } = await openStorage(storageUrl, { secret: new Uint8Array(32), url: 'http://localhost' });
    try {
      const origin = new URL(publicUrl ?? `http://localhost:${listen.port}`).origin;
      const key = `check/${randomUUID()}`;
      const { url } = await storage.presignRead(key, { expiresAt: new Date(Date.now() + 60_000), fileName: 'check' });
      return [ok('bucket', 'It can be used with these credentials.'), ...(await lookAtCors(url, origin))];
    } finally {
      await storage.close();
    }
  } catch (error) {
    const action = 'Correct --storage-url, or what its credentials may do.';
    // What it answers is said by our words for it; why it does not answer stands in the cause.
    if (error instanceof StorageError && error.code !== 'storage_unavailable') return [fail('bucket', error.message, action)];
    return [failed('bucket', 'The object storage cannot be used', error, action)];
  }
}

const wantedMethods = ['GET', 'HEAD', 'POST', 'PUT'] as const;

async function lookAtCors(url: string, origin: string): Promise<Diagnosis[]> {
  const about = 'cors';
  const refused: string[] = [];
  let clock: Diagnosis[] = [];
  for (const method of wantedMethods) {
    const begun = Date.now();
    const { statusCode, headers, body } = await request(url, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method },
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    await body.dump();
    const told = Date.parse(String(headers.date));
    if (!Number.isNaN(told)) clock = [clockDiagnosis('the bucket', clockAhead(begun, told + 500, Date.now()), 5)];
    const allowed = String(headers['access-control-allow-origin'] ?? '');
    const methods = String(headers['access-control-allow-methods'] ?? '').split(/,\s*/);
    const isAllowed =
      statusCode < 300 &&
      (allowed === '*' || allowed === origin) &&
      (methods.includes(method) || methods.includes('*') || method === 'HEAD');
    if (!isAllowed) refused.push(method);
  }
  const rules = `AllowedOrigins ${origin}, AllowedMethods ${wantedMethods.join(' ')}, AllowedHeaders *, ExposeHeaders ETag Retry-After`;
  if (refused.length > 0)
    return [
      ...clock,
      fail(
        about,
        `Browsers may not ${refused.join(', ')} in the bucket from ${origin}: pages cannot send or receive.`,
        `Set the bucket's CORS: ${rules}.`,
      ),
    ];
  const { headers, body } = await request(url, { headers: { origin }, signal: AbortSignal.timeout(timeoutMilliseconds) });
  await body.dump();
  const exposed = String(headers['access-control-expose-headers'] ?? '').toLowerCase();
  if (exposed !== '*' && !exposed.includes('etag'))
    return [
      ...clock,
      fail(
        about,
        `Browsers at ${origin} do not see the header ETag of the bucket's answers: pages cannot send.`,
        `Set the bucket's CORS: ${rules}.`,
      ),
    ];
  return [...clock, ok(about, `Browsers may send and receive from ${origin}.`)];
}
