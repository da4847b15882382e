import { createHostedClient } from '#client/hosted.ts';
import { ApiError } from '#protocol/errors.ts';
import type { JobPorts } from '../../transfer/job.ts';
import type { Arrival } from './arrivals.ts';
import type { TeamService } from './team-service.ts';

/** A receipt's first line is some hundred bytes. */
const longestLine = 65_536;
/** Receipts count whole seconds. */
const second = 1_000;

/**
 * When a package was finalized, as its receipt says: the end of that second, in milliseconds since 1970. `null` where its
 * service gives none. The signature is not looked at: the download checks it, and here it only says which packages are
 * old.
 */
export async function signedAt(
  { transport }: Pick<JobPorts, 'transport'>,
  { serviceUrl }: Pick<TeamService, 'serviceUrl'>,
  { id, token }: Pick<Arrival, 'id' | 'token'>,
  signal: AbortSignal,
): Promise<number | null> {
  let text = '';
  const client = createHostedClient({
    baseUrl: serviceUrl,
    credential: { kind: 'package', token },
    fetcher: (request) =>
      transport.stream(request, async (piece) => {
        if (!text.includes('\n') && text.length < longestLine) text += Buffer.from(piece).toString('utf8');
      }),
  });
  try {
    await client.call('getReceipt', { params: { package_id: id }, signal });
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof ApiError && givesNone.has(cause.error)) return null;
    throw cause;
  }
  return endOfSecond(text.slice(0, text.indexOf('\n')));
}

const givesNone: ReadonlySet<string> = new Set(['not_found', 'state_conflict', 'package_expired', 'not_allowed']);

function endOfSecond(line: string): number | null {
  try {
    const { receipt } = JSON.parse(line) as { readonly receipt: string };
    const { iat } = JSON.parse(Buffer.from(receipt.split('.')[1]!, 'base64url').toString('utf8')) as { readonly iat: unknown };
    return typeof iat === 'number' ? iat * second + second - 1 : null;
  } catch {
    return null;
  }
}
