import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const idBytes = 16;
/** Asking for random bytes costs more than all the rest of an id, so they are asked for by the hundred. */
const pool = Buffer.alloc(256 * idBytes);
let used = pool.length;
let msecs = 0;
let seq = 0;

/** A new id: opaque, unguessable, and sortable by creation (UUIDv7), also within a millisecond. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, used + idBytes);
  used += idBytes;
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    // 31 bits, so that there is room to count up.
    seq = random.readUInt32BE() >>> 1;
  } else seq += 1;
  return v7({ random, msecs, seq });
}

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text has the form of our ids. If not, nothing with this id can exist. */
export function isId(text: string): boolean {
  return form.test(text);
}
