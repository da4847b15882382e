import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ApiError, crc32cOf, type Fault, md5Of, type ObjectResource, type Session, type World } from './world.ts';

export const granularity = 256 * 1024;
const sessionLife = 7 * 24 * 3600 * 1000;

const invalid = (message: string) => new ApiError(400, 'invalid', message);

/** Refuses names that Google cannot hold. */
export function checkName(name: string): void {
  if (name === '') throw new ApiError(400, 'required', 'Required');
  if (Buffer.byteLength(name) > 1024) throw invalid('The specified object name is too long.');
  if (/[\r\n]/.test(name) || name === '.' || name === '..' || name.startsWith('.well-known/acme-challenge/') || !name.isWellFormed()) {
    throw invalid('The specified object name is not valid.');
  }
}

/** Refuses unless the object's generation is the one named; 0 means that there must be none. */
export function checkGeneration(world: World, name: string, wanted: string | null): void {
  if (wanted === null) return;
  if (!/^\d+$/.test(wanted)) throw invalid(`Invalid value for ifGenerationMatch: ${wanted}`);
  if ((world.objects.get(name)?.generation ?? '0') !== wanted) {
    throw new ApiError(412, 'conditionNotMet', 'At least one of the pre-conditions you specified did not hold.');
  }
}

/** Refuses an overwrite without the permission to delete. */
export function checkOverwrite(world: World, name: string): void {
  if (world.objects.has(name)) requirePermission(world, 'storage.objects.delete');
}

export function requirePermission(world: World, permission: string): void {
  if (world.account.permissions.has(permission)) return;
  throw new ApiError(
    403,
    'forbidden',
    `${world.account.email} does not have ${permission} access to the Google Cloud Storage object. Permission '${permission}' denied on resource (or it may not exist).`,
  );
}

/** Refuses bytes whose digest is another than the client said. */
export function checkDigests(bytes: Buffer, said: { readonly crc32c?: string | undefined; readonly md5?: string | undefined }): void {
  for (const [name, given, actual] of [
    ['CRC32C', said.crc32c, crc32cOf(bytes)],
    ['MD5 hash', said.md5, md5Of(bytes)],
  ] as const) {
    if (given !== undefined && given !== actual) throw invalid(`Provided ${name} "${given}" doesn't match calculated ${name} "${actual}".`);
  }
}

export function startSession(
  world: World,
  resource: ObjectResource,
  length: string | undefined,
  ifGenerationMatch: string | null,
): Session {
  if (length !== undefined && !/^\d+$/.test(length)) throw invalid('Invalid X-Upload-Content-Length');
  const session: Session = {
    id: randomBytes(24).toString('base64url'),
    bucket: world.bucket,
    resource,
    size: length === undefined ? null : Number(length),
    ifGenerationMatch,
    begun: world.now(),
    kept: Buffer.alloc(0),
    state: 'open',
    object: null,
  };
  world.sessions.set(session.id, session);
  return session;
}

/** 499, 404 or 410 of a session that is over. */
export function checkAlive(world: World, session: Session | undefined): asserts session is Session {
  if (!session) throw new ApiError(404, 'notFound', 'Not Found');
  if (session.state === 'cancelled') throw new ApiError(499, 'clientClosedRequest', 'Client Closed Request');
  if (session.state === 'failed' || world.now().getTime() - session.begun.getTime() > sessionLife) {
    throw new ApiError(410, 'gone', 'Gone');
  }
}

interface ContentRange {
  /** Null: a question. */
  readonly range: { readonly from: number; readonly to: number } | null;
  readonly total: number | null;
}

function rangeOf(header: string | undefined): ContentRange {
  const match = /^bytes (?:\*|(\d+)-(\d+))\/(\*|\d+)$/.exec(header ?? '');
  if (!match) throw invalid('Failed to parse Content-Range header.');
  const total = match[3] === '*' ? null : Number(match[3]);
  return { range: match[1] === undefined ? null : { from: Number(match[1]), to: Number(match[2]) + 1 }, total };
}

/**
 * Takes a PUT of a session, and keeps what arrives as it arrives: of a request that breaks, whole multiples of 256 KiB.
 * Afterwards the session is open or complete.
 */
export async function putToSession(world: World, session: Session, request: IncomingMessage, fault: Fault | undefined): Promise<void> {
  const { headers } = request;
  const { range, total } = rangeOf(headers['content-range']);
  const length = headers['content-length'];
  if (length === undefined) throw new ApiError(411, 'required', 'Length Required');
  if (session.state === 'complete') return void request.resume();
  if (session.size !== null && total !== null && total !== session.size) throw invalid('The total differs from X-Upload-Content-Length.');
  if (Number(length) !== (range ? range.to - range.from : 0)) throw invalid('Content-Length does not match Content-Range.');
  if (range && total !== null && range.to > total) throw invalid('Content-Range lies outside the file.');
  const isLast = total !== null && (range ? range.to === total : session.kept.length === total);
  if (range) {
    if (!isLast && (range.to - range.from) % granularity !== 0)
      throw invalid('A chunk that is not the last must be a multiple of 256 KiB.');
    if (range.from > session.kept.length) throw invalid(`Content-Range begins behind the ${session.kept.length} bytes that are there.`);
    const arrived = await received(world, request);
    const before = session.kept.length;
    // What is there already is passed over.
    const fresh = arrived.bytes.subarray(before - range.from);
    const allowed = fault?.kind === 'keep' ? Math.min(fault.bytes, fresh.length) : fresh.length;
    const whole = allowed === fresh.length && !arrived.broken && (isLast || fresh.length % granularity === 0);
    const taken = whole ? allowed : Math.floor((before + allowed) / granularity) * granularity - before;
    session.kept = Buffer.concat([session.kept, fresh.subarray(0, Math.max(taken, 0))]);
    if (arrived.broken) throw new Error('The connection broke.');
  }
  if (!isLast || session.kept.length !== total) return;
  finish(world, session, headers['x-goog-hash']);
}

async function received(world: World, request: IncomingMessage): Promise<{ readonly bytes: Buffer; readonly broken: boolean }> {
  const pieces: Buffer[] = [];
  let broken = false;
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      pieces.push(piece);
      world.bytesReceived += piece.length;
    }
  } catch {
    broken = true;
  }
  return { bytes: Buffer.concat(pieces), broken: broken || !request.complete };
}

function finish(world: World, session: Session, hash: string | string[] | undefined): void {
  const { resource, kept } = session;
  const said = Object.fromEntries(
    String(hash ?? '')
      .split(',')
      .filter((one) => one !== '')
      .map((one) => [one.slice(0, one.indexOf('=')).trim(), one.slice(one.indexOf('=') + 1)]),
  ) as Record<string, string>;
  try {
    checkDigests(kept, { crc32c: said['crc32c'], md5: said['md5'] });
    checkDigests(kept, { crc32c: resource.crc32c, md5: resource.md5Hash });
    checkGeneration(world, resource.name, session.ifGenerationMatch);
    checkOverwrite(world, resource.name);
  } catch (error) {
    session.state = 'failed';
    throw error;
  }
  session.object = world.store(resource, kept);
  session.state = 'complete';
}
