import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Handover } from '#protocol/hosted/handovers.ts';
import type { HandoverTables } from '../database/schema/handovers.ts';

export type HandoverRow = Selectable<HandoverTables['handovers']>;

/** What a code is now. One that was taken stays so. */
export function stateOf(row: Pick<HandoverRow, 'taken_at' | 'cancelled_at' | 'expires_at'>, now: Date): Handover['state'] {
  if (row.taken_at) return 'taken';
  if (row.cancelled_at) return 'cancelled';
  return row.expires_at.getTime() <= now.getTime() ? 'expired' : 'waiting';
}

/** How a code, and the secret of an app, are stored: both are random, so that a plain digest is enough. */
export const codeDigest = (secret: string): Buffer => createHash('sha256').update(secret).digest();
