import { percentEncode } from './percent.ts';

/**
 * A Content-Disposition that makes a browser save under `fileName`: an ASCII stand-in for old readers
 * and the whole name by RFC 5987. Lone surrogates, which no header can carry, become U+FFFD.
 */
export function attachment(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${percentEncode(fileName)}`;
}
