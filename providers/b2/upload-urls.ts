import { LRUCache } from 'lru-cache';

/** An address that takes one upload at a time, and the token for it. Both are secrets. */
export interface UploadUrl {
  readonly url: string;
  readonly token: string;
  /** Milliseconds since 1970: taken no more from then on. */
  readonly until: number;
}

export interface UploadUrls {
  /** A free address of this key, or a new one. Who fails with it drops it: its server may be full or gone. */
  take(key: string, signal: AbortSignal): Promise<UploadUrl>;
  /** After a success alone. */
  giveBack(key: string, address: UploadUrl): void;
  /** It was refused as being over: so are those that were asked for before it. */
  drop(address: UploadUrl): void;
}

/** Keys whose addresses are kept at once. A dropped one costs a request. */
const maxKeys = 256;

export function createUploadUrls(ask: (key: string, signal: AbortSignal) => Promise<UploadUrl>, now: () => Date): UploadUrls {
  const free = new LRUCache<string, UploadUrl[]>({ max: maxKeys });
  return {
    async take(key, signal) {
      const addresses = free.get(key) ?? [];
      for (let address = addresses.pop(); address; address = addresses.pop()) {
        if (now().getTime() < address.until) return address;
      }
      return await ask(key, signal);
    },
    giveBack(key, address) {
      const addresses = free.get(key);
      if (addresses) addresses.push(address);
      else free.set(key, [address]);
    },
    drop({ until }) {
      for (const [key, addresses] of free) {
        free.set(
          key,
          addresses.filter((one) => one.until > until),
        );
      }
    },
  };
}
