import { percentEncode } from './percent.ts';

/**
 * A Content-Disposition that makes a browser save the file as `fileName`: an ASCII fallback for old browsers and the
 * whole name by RFC 5987. Lone surrogates, which a header cannot contain, become U+FFFD.
 */
export function attachment(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${percentEncode(fileName)}`;
}
