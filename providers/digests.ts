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
