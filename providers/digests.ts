import { createHash } from 'node:crypto';
import { createCRC32, type IHasher } from 'hash-wasm';
import type { DigestName, Digests } from './ports.ts';

interface Hasher {
  update(bytes: Uint8Array): void;
  digest(): string;
}

/** CRC-32C (Castagnoli), reversed. Its first use compiles it, so it is awaited once here. */
const castagnoli = 0x82f63b78;
const crc32c: IHasher = await createCRC32(castagnoli);

const hashers: Readonly<Record<Exclude<DigestName, 'crc32c'>, () => Hasher>> = {
  md5: () => nodeHasher('md5'),
  sha1: () => nodeHasher('sha1'),
};

function nodeHasher(algorithm: string): Hasher {
  const hash = createHash(algorithm);
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') };
}

/** Digests of bytes in memory, by the names asked for. */
export function digestsOf(bytes: Uint8Array, names: readonly DigestName[]): Digests {
  return Object.fromEntries(
    names.map((name) => {
      const hasher = name === 'crc32c' ? crc32c.init() : hashers[name]();
      hasher.update(bytes);
      return [name, hasher.digest()];
    }),
  );
}

/** Digests of bytes that come piece by piece. */
export interface Digester {
  update(bytes: Uint8Array): void;
  /** Ends it. */
  digests(): Digests;
}

export async function createDigester(names: readonly DigestName[]): Promise<Digester> {
  const running: (readonly [DigestName, Hasher])[] = [];
  for (const name of names) {
    // One of its own, since the state of the shared one is that of a single computation.
    running.push([name, name === 'crc32c' ? (await createCRC32(castagnoli)).init() : hashers[name]()]);
  }
  return {
    update(bytes) {
      for (const [, hasher] of running) hasher.update(bytes);
    },
    digests: () => Object.fromEntries(running.map(([name, hasher]) => [name, hasher.digest()])),
  };
}
