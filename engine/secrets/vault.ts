import { randomBytes, scryptSync } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError, systemCode, wordsOf } from '../errors.ts';
import type { SecretStore } from './ports.ts';
import { type Sealer, sealerOf } from './seal.ts';

/** The vault file: each value is sealed separately; it includes the salt of a passphrase. */
interface VaultFile {
  readonly salt: string;
  readonly values: Readonly<Record<string, string>>;
}

const keyBytes = 32;
const minKeyLength = 16;
const probeName = '.probe';

/**
 * An encrypted file in the data folder. Its key comes from the operator (`LONGSHORE_VAULT_KEY`), or from a file next to it
 * that only this user can read; that protects a copied vault, but not a copied folder. A vault that the key does not open
 * is not changed.
 */
export function openVault(folder: string, givenKey: string | undefined): SecretStore {
  const path = join(folder, 'vault.json');
  const keyPath = join(folder, 'vault.key');
  if (givenKey !== undefined && givenKey.length < minKeyLength) {
    throw new EngineError('vault_key_too_short', `LONGSHORE_VAULT_KEY has to be at least ${minKeyLength} characters long.`);
  }
  const existing = readVault(path);
  const salt = existing ? Buffer.from(existing.salt, 'base64') : randomBytes(16);
  const sealer = sealerOf(givenKey === undefined ? keyFromFile(keyPath, existing !== null) : scryptSync(givenKey, salt, keyBytes));
  let values: Record<string, string> = { ...existing?.values };

  const write = (next: Record<string, string>): void => {
    replaceFile(path, JSON.stringify({ salt: salt.toString('base64'), values: next } satisfies VaultFile));
    values = next;
  };
  if (existing) verify(sealer, values, path, givenKey !== undefined);
  else write({ [probeName]: sealer.seal('longshore') });

  return {
    kind: 'vault',
    get: async (name) => (values[name] === undefined ? null : sealer.open(values[name])),
    set: async (name, value) => write({ ...values, [name]: sealer.seal(value) }),
    delete: async (name) => {
      const { [name]: gone, ...rest } = values;
      if (gone !== undefined) write(rest);
    },
  };
}

function readVault(path: string): VaultFile | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return null;
    throw unusable(path, cause);
  }
  try {
    const vault = JSON.parse(text) as Partial<VaultFile>;
    if (typeof vault.salt === 'string' && typeof vault.values === 'object' && vault.values !== null) return vault as VaultFile;
  } catch (cause) {
    throw unusable(path, cause);
  }
  throw unusable(path, new Error('it has another form'));
}

function verify(sealer: Sealer, values: Readonly<Record<string, string>>, path: string, given: boolean): void {
  try {
    sealer.open(values[probeName] ?? '');
  } catch (cause) {
    const hint = given
      ? 'LONGSHORE_VAULT_KEY is not the key it was made with. Give that key'
      : 'it was made with a LONGSHORE_VAULT_KEY, or its key file was replaced. Give that key';
    throw new EngineError('vault_key_wrong', `The vault ${path} does not open: ${hint}, or move the data folder away to begin anew.`, {
      cause,
    });
  }
}

function keyFromFile(path: string, mustExist: boolean): Buffer {
  try {
    const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
    if (key.length !== keyBytes) throw new Error('it does not hold a key');
    chmodSync(path, 0o600);
    return key;
  } catch (cause) {
    if (systemCode(cause) !== 'ENOENT') throw unusable(path, cause);
  }
  // If the key file of an existing vault is lost, `verify` reports that a new key does not open it.
  const key = randomBytes(keyBytes);
  if (!mustExist) replaceFile(path, `${key.toString('base64')}\n`);
  return key;
}

/** Writes a private file atomically. */
function replaceFile(path: string, text: string): void {
  const temporary = `${path}.new`;
  try {
    writeFileSync(temporary, '', { mode: 0o600 });
    chmodSync(temporary, 0o600);
    const handle = openSync(temporary, 'w', 0o600);
    try {
      writeSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, path);
  } catch (cause) {
    throw unusable(path, cause);
  }
}

function unusable(path: string, cause: unknown): EngineError {
  return new EngineError('vault_unusable', `${path} cannot be used: ${wordsOf(cause)}. Check it, or move it away to begin anew.`, {
    cause,
  });
}
