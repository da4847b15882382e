import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { BackupError } from './backup-error.ts';

/**
 * `secret.key` in a backup: encrypted by AES-256-GCM with a key that scrypt makes of a passphrase. Whoever has the backup
 * and not the passphrase can sign nothing, and read nothing that the database has sealed.
 */

/** 128 MiB and some 0.3 s a guess. */
const cost = { N: 2 ** 17, r: 8, p: 1 } as const;
const maxmem = 256 * 1024 * 1024;
/** A sealed file may have been made up: it must not cost more than our own. */
const maxCost = { N: 2 ** 17, r: 8, p: 1 } as const;

export const leastPassphrase = 12;

interface Sealed {
  readonly format: 1;
  readonly kdf: 'scrypt';
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly cipher: 'aes-256-gcm';
  readonly salt: string;
  readonly nonce: string;
  readonly sealed: string;
}

/** All but the sealed bytes: whoever changes it makes them unreadable. */
const headOf = ({ sealed: _, ...head }: Sealed): Buffer => Buffer.from(JSON.stringify(head));

const keyOf = (passphrase: string, salt: Buffer, { N, r, p }: { readonly N: number; readonly r: number; readonly p: number }): Buffer =>
  scryptSync(passphrase.normalize('NFKC'), salt, 32, { N, r, p, maxmem });

/** Throws `passphrase` for one that is too short. */
export function sealSecret(secret: Uint8Array, passphrase: string): Buffer {
  if (passphrase.length < leastPassphrase)
    throw new BackupError(
      'passphrase',
      `The passphrase needs ${leastPassphrase} characters at least: it guards the key of all tokens and links.`,
    );
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const head = {
    ...({ format: 1, kdf: 'scrypt', ...cost, cipher: 'aes-256-gcm' } as const),
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    sealed: '',
  } satisfies Sealed;
  const cipher = createCipheriv('aes-256-gcm', keyOf(passphrase, salt, cost), nonce);
  cipher.setAAD(headOf(head));
  const sealed = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString('base64');
  return Buffer.from(`${JSON.stringify({ ...head, sealed })}\n`);
}

/** Throws `passphrase` where it is another one, `damaged` where the file is none. */
export function openSecret(file: Uint8Array, passphrase: string): Buffer {
  const sealed = parse(file);
  const bytes = Buffer.from(sealed.sealed, 'base64');
  const decipher = createDecipheriv(
    'aes-256-gcm',
    keyOf(passphrase, Buffer.from(sealed.salt, 'base64'), sealed),
    Buffer.from(sealed.nonce, 'base64'),
  );
  decipher.setAAD(headOf(sealed));
  decipher.setAuthTag(bytes.subarray(-16));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]);
  } catch (cause) {
    throw new BackupError('passphrase', 'The passphrase is not the one with which this backup sealed its key. Give the one of that day.', {
      cause,
    });
  }
}

function parse(file: Uint8Array): Sealed {
  const damaged = (cause?: unknown) =>
    new BackupError(
      'damaged',
      'The sealed key in the backup is damaged. Restore an earlier backup, or put secret.key into the data folder by hand.',
      {
        cause,
      },
    );
  let sealed: Sealed;
  try {
    sealed = JSON.parse(Buffer.from(file).toString('utf8')) as Sealed;
  } catch (error) {
    throw damaged(error);
  }
  const isOurs =
    (sealed as Sealed | null)?.format === 1 &&
    sealed.kdf === 'scrypt' &&
    sealed.N <= maxCost.N &&
    sealed.r <= maxCost.r &&
    sealed.p <= maxCost.p &&
    [sealed.salt, sealed.nonce, sealed.sealed].every((text) => typeof text === 'string') &&
    Buffer.from(sealed.nonce, 'base64').length === 12 &&
    Buffer.from(sealed.sealed, 'base64').length > 16;
  if (!isOurs) throw damaged();
  return sealed;
}
