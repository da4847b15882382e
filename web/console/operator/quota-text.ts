import type { Quotas } from '#protocol/hosted/quotas.ts';

const gigabyte = 1_000_000_000;

/** A limit as it is typed; empty for none. */
export const gigabytesOf = (bytes: number | undefined): string => (bytes === undefined ? '' : String(bytes / gigabyte));

/** Bytes of a text in gigabytes, with a point or a comma: null for an empty one, `undefined` for what is no size. */
export function limitOf(text: string): number | null | undefined {
  const plain = text.trim().replace(',', '.');
  if (plain === '') return null;
  if (!/^\d+(\.\d+)?$/.test(plain)) return undefined;
  const bytes = Math.round(Number(plain) * gigabyte);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** The largest share of a limit that is used, 1 for all of it; null without limits. */
export function usedShare({ storage, traffic }: Quotas): number | null {
  const shares = [storage, traffic].flatMap((quota) => (quota ? [quota.limit === 0 ? 1 : quota.used / quota.limit] : []));
  return shares.length === 0 ? null : Math.max(...shares);
}
