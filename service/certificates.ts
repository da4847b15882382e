import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { StartError } from './start-error.ts';

/** Certificates in PEM that the operator wants to trust instead of the system's; null without a file. Errors: `StartError`. */
export function readCertificates(file: string | null): string | null {
  if (file === null) return null;
  try {
    const text = readFileSync(file, 'utf8');
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  } catch (cause) {
    throw new StartError('option_invalid', `The file ${file} with certificates cannot be read: ${(cause as Error).message}`, { cause });
  }
  throw new StartError('option_invalid', `The file ${file} holds no certificate in PEM.`);
}

/** Whether a host is this machine itself, so that nobody can intercept the connection. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || (isIP(bare) === 4 && bare.startsWith('127.')) || bare === '::1';
}
