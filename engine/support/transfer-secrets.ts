import type { Lists } from '../state/lists.ts';
import type { TransferRecord } from '../transfer/record.ts';

/** Unfinished and finished transfers each: every record is read, so the number is limited. */
const maxTransfers = 200;

/** Secrets of the transfers that a log may mention: the most recently changed unfinished and finished ones. */
export function secretsOf(lists: Pick<Lists, 'lastChanged'>, find: (id: string) => TransferRecord | null): string[] {
  const unfinished = lists.lastChanged(['queued', 'transferring', 'paused', 'idle'], maxTransfers);
  const finished = lists.lastChanged(['complete', 'error', 'cancelled'], maxTransfers);
  return [...unfinished, ...finished].flatMap((id) => Object.values(find(id)?.secrets ?? {}).flatMap(textsOf));
}

/** The texts of a secret. Of a link only the secret in its address. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  const { url, code, claim } = (value ?? {}) as { url?: string; code?: string; claim?: string };
  // Of a browser that hands over.
  if (code !== undefined && claim !== undefined) return [code, claim];
  const secret = url === undefined ? null : URL.parse(url)?.searchParams.get('secret');
  return secret ? [secret] : [];
}
