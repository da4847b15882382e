import type { TransferRecord } from '../transfer/record.ts';
import { isOver } from '../transfer/states.ts';

/** Of how many transfers that are over, and that are not, secrets are looked for one by one. */
const looked = 200;

/** Secrets of the transfers that a log is likely to speak of: those under way and the newest. */
export function secretsOf(records: readonly TransferRecord[]): string[] {
  const newest = [...records].sort((a, b) => b.updatedAt - a.updatedAt);
  const under = newest.filter(({ phase }) => !isOver(phase)).slice(0, looked);
  const over = newest.filter(({ phase }) => isOver(phase)).slice(0, looked);
  return [...under, ...over].flatMap(({ secrets }) => Object.values(secrets).flatMap(textsOf));
}

/** Texts in a secret; of a link what its address keeps secret. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  const { url } = (value ?? {}) as { url?: string };
  const secret = url === undefined ? null : URL.parse(url)?.searchParams.get('secret');
  return secret ? [secret] : [];
}
