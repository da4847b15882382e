import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

/** A certificate with those that it was signed by, and its key; both in PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/** Where they lie. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** A pair that a server cannot use. The message is the end of a sentence, without paths; `file` is which one. */
export class TlsPairError extends Error {
  override readonly name = 'TlsPairError';
  readonly file: keyof TlsFiles;

  constructor(file: keyof TlsFiles, message: string, options?: ErrorOptions) {
    super(message, options);
    this.file = file;
  }
}

/** Reads a pair, and makes sure that a server can use it. Throws `TlsPairError`. */
export function readTlsPair(files: TlsFiles): TlsPair {
  const pair = { cert: textOf(files, 'cert'), key: textOf(files, 'key') };
  const certificate = attempt('cert', 'there is no certificate in PEM in its file', () => new X509Certificate(pair.cert));
  const key = attempt('key', 'there is no unencrypted private key in PEM in its file', () => createPrivateKey(pair.key));
  if (!certificate.checkPrivateKey(key)) throw new TlsPairError('key', 'the key does not belong to the certificate');
  attempt('cert', 'the certificate is of a kind that TLS here does not take', () => createSecureContext(pair));
  return pair;
}

const kinds = { cert: 'certificate', key: 'key' } as const;

const textOf = (files: TlsFiles, file: keyof TlsFiles): string =>
  attempt(file, `the file of the ${kinds[file]} cannot be read`, () => readFileSync(files[file], 'utf8'));

function attempt<T>(file: keyof TlsFiles, message: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new TlsPairError(file, message, { cause });
  }
}
