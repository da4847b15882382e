import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressKeyOf } from '#net/address-key.ts';
import { defaultShares, MemoryBudget, type MemoryReservation } from '#net/memory-budget.ts';
import { ApiError } from '#protocol/errors.ts';
import { attachment } from '#protocol/storage/disposition.ts';
import { answerRange, contentRange, ifMatch, noRangeOf } from '#protocol/storage/ranges.ts';
import type { TokenClaims } from '../credentials/tokens.ts';
import type { Services } from '../handler.ts';
import type { OpenedLink } from '../links/reads.ts';
import { linkStatus } from '../links/state-machine.ts';
import { requireUninfected } from '../viruses/policy.ts';
import { createZipPlans, type PlannedZip, type ZipPlans } from '../zips/plans.ts';
import { zipBytes } from '../zips/stream.ts';
import { zipName } from '../zips/virtual-files.ts';
import { requireWhole } from '../zips/whole.ts';
import { cutWhenStalled } from './streams.ts';

interface ZipsOptions {
  readonly services: Services;
  /** Counts an address with an invalid token; `rate_limited` when there were too many. */
  readonly countRefusal: (request: FastifyRequest) => Promise<void>;
}

/** A browser's user may pause a download; it is resumed later by a range request. */
const stallMilliseconds = 300_000;

const mebi = 1024 * 1024;
/** Maximum memory of one zip for its objects: a chunk in transfer, and small files read ahead. */
const zipMemory = 2 * mebi;
/**
 * Maximum memory of all zips combined. A request that gets none waits, and the slowest readers are cut off to free
 * some (net/memory-budget.ts).
 */
const allZipsMemory = 256 * mebi;

/**
 * The zips of packages, at the addresses that the download of their virtual records returns. Each request checks the
 * link again. The token is in the address (`{base}/zips/{name}?token=…`), since a browser sends no header.
 */
export async function zips(app: FastifyInstance, { services, countRefusal }: ZipsOptions): Promise<void> {
  const { tokens } = services;
  const plans = createZipPlans(services.db);
  const memory = new MemoryBudget({ bytes: allZipsMemory, shares: defaultShares, now: () => performance.now() });
  app.route<{ Querystring: { token?: unknown } }>({
    method: ['GET', 'HEAD'],
    url: '/zips/*',
    handler: async (request, reply) => {
      const { token } = request.query;
      const claims = typeof token === 'string' ? await tokens.verify('zip', token) : null;
      if (!claims) {
        await countRefusal(request);
        throw new ApiError('credential_invalid', { header: 'this address' });
      }
      const link = await openPackage(services, claims);
      const zip = await plans.get(claims.packageId, claims.flavour, claims.chosen);
      if (link.virusPolicy === 'block') requireUninfected(link, await holdsVirus(services, claims.packageId, zip));
      await requireWhole(services.db, claims.packageId, () => new Set(zip.layout.entries.map(({ id }) => id)));
      if (!ifMatch(request.headers['if-match'], zip.etag)) throw new ApiError('precondition_failed', { etag: zip.etag });
      const asked = answerRange(rangeStillMeant(request, zip), zip.layout.size);
      reply.headers({ etag: zip.etag, 'accept-ranges': 'bytes' });
      if (asked.kind === 'unsatisfiable') {
        reply.header('content-range', noRangeOf(zip.layout.size));
        throw new ApiError('range_not_satisfiable', { size: zip.layout.size });
      }
      const [start, last] = asked.kind === 'part' ? [asked.start, asked.end] : [0, zip.layout.size - 1];
      reply.headers({
        'content-type': 'application/zip',
        'content-disposition': attachment(zipName(claims.name ?? link.name)),
        'content-length': String(last - start + 1),
      });
      if (asked.kind === 'part') reply.code(206).header('content-range', contentRange(start, last, zip.layout.size));
      if (request.method === 'HEAD') return reply.send();
      const reservation = memory.reserve({ address: addressKeyOf(request.ip), package: claims.packageId }, () => void reply.raw.destroy());
      reply.raw.once('close', () => reservation.end());
      const pieces = withMemory(reservation, reply, () => zipBytes(zip, services.storage, start, last));
      return send(reply, pieces, () => note(plans, zip, request));
    },
  });
}

/** The link with its package, if it still gives access. Errors: `not_found` and those of a link (links/state-machine.ts). */
async function openPackage({ links, now }: Services, { linkId, packageId }: TokenClaims['zip']): Promise<OpenedLink> {
  const link = await links.read(linkId);
  if (link?.package_id !== packageId) throw new ApiError('not_found', { resource: 'package' });
  const status = linkStatus(link, now());
  if (!status.open) throw new ApiError(status.error, status.details);
  return link;
}

/** The zip's plan may be older than what was found in its files. */
async function holdsVirus({ db }: Services, packageId: string, { layout }: PlannedZip): Promise<boolean> {
  const infected = await db
    .selectFrom('files')
    .select('id')
    .where('package_id', '=', packageId)
    .where('virus_detected', '=', true)
    .execute();
  const ids = new Set(infected.map(({ id }) => id));
  return layout.entries.some(({ id }) => ids.has(id));
}

/** The Range header, unless If-Range names another version of the zip (RFC 9110, 13.1.5). */
function rangeStillMeant({ headers }: FastifyRequest, { etag }: PlannedZip): string | undefined {
  return headers['if-range'] === undefined || headers['if-range'] === etag ? headers.range : undefined;
}

function send(reply: FastifyReply, pieces: AsyncIterable<Buffer>, ended: () => Promise<void>): FastifyReply {
  const cut = () => reply.raw.destroy();
  return reply.send(Readable.from(closing(cutWhenStalled(pieces, cut, stallMilliseconds), ended), { objectMode: true, highWaterMark: 1 }));
}

/** The chunks, once memory is reserved. Yields nothing if the client has disconnected before. */
export async function* withMemory(
  reservation: MemoryReservation,
  reply: FastifyReply,
  begin: () => AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  if (!reservation.take(zipMemory)) {
    await new Promise<void>((resolve) => {
      reply.raw.once('close', resolve);
      reservation.wait(zipMemory, resolve);
    });
  }
  if (reservation.isEnded) return;
  for await (const piece of begin()) {
    yield piece;
    reservation.moved(piece.length);
  }
}

async function* closing<T>(pieces: AsyncIterable<T>, ended: () => Promise<void>): AsyncGenerator<T> {
  try {
    yield* pieces;
  } finally {
    await ended();
  }
}

async function note(plans: ZipPlans, zip: PlannedZip, request: FastifyRequest): Promise<void> {
  await plans.note(zip).catch((error: unknown) => request.log.warn({ err: error }, 'checksums of a zip could not be noted'));
}
