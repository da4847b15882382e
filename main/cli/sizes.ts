import { InvalidArgumentError } from 'commander';

const bytesOf = { '': 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 } as const;

/** Bytes: `500GB`, `2TiB` or a plain number; null for `none`. Errors: `InvalidArgumentError`. */
export function parseQuota(text: string): number | null {
  if (text.trim() === 'none') return null;
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?(KB|MB|GB|TB|KiB|MiB|GiB|TiB|)$/.exec(text.trim()) ?? [];
  const bytes = Math.floor(Number(number) * bytesOf[(unit ?? '') as keyof typeof bytesOf]);
  if (!Number.isSafeInteger(bytes)) throw new InvalidArgumentError('Give a size like 500GB, 2TiB or 500000000000, or none for no limit.');
  return bytes;
}

/** A size that has to be one. Errors: `InvalidArgumentError`. */
export function parseBytes(text: string): number {
  const bytes = parseQuota(text);
  if (bytes === null || bytes === 0) throw new InvalidArgumentError('Give a size like 100MB, 25MiB or 100000000.');
  return bytes;
}

/** Bytes a second: `50MB`; null for `none`. Errors: `InvalidArgumentError`. */
export function parseRate(text: string): number | null {
  const rate = parseQuota(text);
  if (rate === 0) throw new InvalidArgumentError('Give more than nothing a second, as 50MB, or none.');
  return rate;
}
