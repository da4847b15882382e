import { open } from 'node:fs/promises';
import { type Ends, type PeerKeys, peerKeys, uidIn } from './proc-net.ts';

/** Finds out which user of this machine holds the other end of a connection. */
export interface PeerUids {
  /** The user id; `null` where no row was found in all tries. Rejects where the tables cannot be read. */
  uidOf(ends: Ends): Promise<number | null>;
}

/** Attempts for each connection: rows move while the table is read, so one can be missed. */
const tries = 3;
/** The kernel returns at most one page for each read, whatever the buffer size. */
const readBytes = 16 * 1024;

interface Lookup {
  readonly keys: PeerKeys;
  readonly answer: (uid: number | null) => void;
  readonly fail: (error: unknown) => void;
  tried: number;
}

/**
 * Reads the kernel's connection tables (Linux). One scan at a time serves all requests that were made before it began,
 * so a thousand connections cost little more than one. Nothing of the tables is cached.
 */
export function createPeerUids(folder = '/proc/net'): PeerUids {
  let waiting: Lookup[] = [];
  let scanning = false;

  const scan = async (): Promise<void> => {
    scanning = true;
    while (waiting.length > 0) {
      const asks = waiting;
      waiting = [];
      try {
        const found = new Map<string, number>();
        const wanted = new Set(asks.flatMap(({ keys }) => keys.tcp ?? []));
        if (wanted.size > 0) await findIn(`${folder}/tcp`, wanted, found);
        const left = asks.filter(({ keys }) => keys.tcp === null || !found.has(keys.tcp));
        if (left.length > 0) await findIn(`${folder}/tcp6`, new Set(left.map(({ keys }) => keys.tcp6)), found);
        for (const ask of asks) {
          const uid = (ask.keys.tcp === null ? undefined : found.get(ask.keys.tcp)) ?? found.get(ask.keys.tcp6);
          if (uid !== undefined) ask.answer(uid);
          else if (++ask.tried >= tries) ask.answer(null);
          else waiting.push(ask);
        }
      } catch (error) {
        for (const { fail } of asks) fail(error);
      }
    }
    scanning = false;
  };

  return {
    uidOf(ends) {
      const keys = peerKeys(ends);
      if (!keys) return Promise.resolve(null);
      return new Promise((answer, fail) => {
        waiting.push({ keys, answer, fail, tried: 0 });
        if (!scanning) void scan();
      });
    },
  };
}

/** Scans one table until all wanted keys are found. A system without IPv6 has no table for it. */
async function findIn(path: string, wanted: ReadonlySet<string>, found: Map<string, number>): Promise<void> {
  const width = wanted.values().next().value!.length;
  let left = wanted.size;
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && path.endsWith('6')) return null;
    throw error;
  });
  if (!file) return;
  try {
    const buffer = Buffer.allocUnsafe(readBytes);
    for (let rest = ''; left > 0; ) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return;
      const text = rest + buffer.toString('latin1', 0, bytesRead);
      let start = 0;
      for (let end = text.indexOf('\n'); end >= 0; start = end + 1, end = text.indexOf('\n', start)) {
        // `  12: 0100007F:C350 0100007F:1F9A 01 …`
        const at = text.indexOf(':', start) + 2;
        const key = text.slice(at, at + width);
        if (!wanted.has(key) || found.has(key)) continue;
        const uid = uidIn(text.slice(at + width, end));
        if (uid === null) continue;
        found.set(key, uid);
        left--;
      }
      rest = text.slice(start);
    }
  } finally {
    await file.close();
  }
}
