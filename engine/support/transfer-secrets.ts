import type { Lists } from '../state/lists.ts';
import type { TransferRecord } from '../transfer/record.ts';

/** Of how many transfers that are over, and that are not, secrets are looked for one by one. */
const looked = 200;

/** Secrets of the transfers that a log is likely to speak of: those under way and the newest. */
export function secretsOf(lists: Pick<Lists, 'lastChanged'>, find: (id: string) => TransferRecord | null): string[] {
  const under = lists.lastChanged(['queued', 'transferring', 'paused', 'idle'], looked);
  const over = lists.lastChanged(['complete', 'error', 'cancelled'], looked);
  return [...under, ...over].flatMap((id) => Object.values(find(id)?.secrets ?? {}).flatMap(textsOf));
}

/** Texts in a secret; of a link what its address keeps secret. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  const { url } = (value ?? {}) as { url?: string };
  const secret = url === undefined ? null : URL.parse(url)?.searchParams.get('secret');
  return secret ? [secret] : [];
}
