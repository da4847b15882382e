import type { Package } from '#protocol/hosted/packages.ts';

/** A package that came in through a Portal and is whole, as its service lists it. */
export interface Arrival {
  readonly id: string;
  readonly name: string;
  readonly sender: string;
  readonly portalId: string;
  /** Bytes. */
  readonly size: number;
  readonly files: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When its record changed last: when it was finalized, or later. */
  readonly changedAt: number;
  /** When it was finalized; `null` where an older service does not tell. */
  readonly finalizedAt: number | null;
  /** Infinite where it is kept for ever. */
  readonly expiresAt: number;
  /** What its account may do with it. */
  readonly token: string;
}

/** `null` where there is nothing to download: it is not whole, over, or did not come through a Portal. */
export function arrivalOf(listed: Package, now: number): Arrival | null {
  const { portal_id: portalId, state, unlimited_storage: isUnlimited } = listed;
  const expiresAt = isUnlimited ? Number.POSITIVE_INFINITY : Date.parse(listed.expiry);
  if (portalId === undefined || state !== 'finalized' || expiresAt <= now) return null;
  return {
    id: listed.id,
    name: listed.name,
    sender: listed.sender,
    portalId,
    size: listed.size,
    files: listed.total_files,
    createdAt: Date.parse(listed.created_at),
    changedAt: Date.parse(listed.updated_at),
    finalizedAt: listed.finalized_at === undefined ? null : Date.parse(listed.finalized_at),
    expiresAt,
    token: listed.access_token,
  };
}

/**
 * Whether a package was finalized since then. `unknown`: an older service lists it, it was made before and changed
 * since, so that only its receipt tells.
 */
export function finalizedSince(
  { createdAt, changedAt, finalizedAt }: Pick<Arrival, 'createdAt' | 'changedAt' | 'finalizedAt'>,
  since: number,
): 'yes' | 'no' | 'unknown' {
  if (finalizedAt !== null) return finalizedAt >= since ? 'yes' : 'no';
  if (createdAt >= since) return 'yes';
  return changedAt < since ? 'no' : 'unknown';
}

/** What ends first goes first; of two that end at once, the older one. */
export const soonestFirst = (a: Arrival, b: Arrival): number =>
  a.expiresAt === b.expiresAt ? a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1) : a.expiresAt - b.expiresAt;
