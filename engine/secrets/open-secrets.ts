import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../errors.ts';
import { type Keychain, keychainStore, loadKeychain } from './keychain.ts';
import type { SecretStore } from './ports.ts';
import { type Sealer, sealerOf } from './seal.ts';
import { openVault } from './vault.ts';

interface OpenSecretsOptions {
  readonly dataDir: string;
  /** `auto` uses the keychain if it works; `vault` never does. */
  readonly mode: 'auto' | 'vault';
  /** Opens the vault instead of the key file (`LONGSHORE_VAULT_KEY`). */
  readonly vaultKey?: string | undefined;
  readonly load?: () => Promise<Keychain | null>;
}

interface OpenedSecrets {
  readonly store: SecretStore;
  /** Seals secrets in the agent's database; its key is one of the secrets. */
  readonly sealer: Sealer;
  readonly warnings: readonly string[];
}

const sealKey = 'state-key';

/**
 * Opens the keychain, or the vault if there is none. A data folder never changes from one to the other: its secrets would
 * be lost, and the sealed state would count as damaged. `keychain_unavailable` if its keychain cannot be used now, for
 * example because it is still locked.
 */
export async function openSecrets(options: OpenSecretsOptions): Promise<OpenedSecrets> {
  const mark = join(options.dataDir, markName);
  const marked = existsSync(mark);
  const store = await choose(options, marked);
  const key = await keyIn(store, marked, options.dataDir);
  if (store.kind === 'keychain' && !marked) writeFileSync(mark, markText, { mode: 0o600 });
  return { store, sealer: sealerOf(key), warnings: store.kind === 'vault' ? [vaultWarning(options)] : [] };
}

const markName = 'secrets-in-keychain';
const markText =
  "The secrets of this folder are in the keychain of the operating system. Without this file the agent begins anew with a vault of its own when there is no keychain: sign in again then; transfers that it can't read are set aside.\n";

async function choose({ dataDir, mode, vaultKey, load = loadKeychain }: OpenSecretsOptions, marked: boolean): Promise<SecretStore> {
  if (existsSync(join(dataDir, 'vault.json'))) return openVault(dataDir, vaultKey);
  if (mode === 'auto' && vaultKey === undefined) {
    const keychain = await load();
    const store = keychain ? await keychainStore(keychain, dataDir) : null;
    if (store) return store;
  }
  if (marked)
    throw unavailable(dataDir, 'which cannot be used now. Start the agent where it can: in your own log-in, with the keychain unlocked');
  return openVault(dataDir, vaultKey);
}

async function keyIn(store: SecretStore, marked: boolean, dataDir: string): Promise<Buffer> {
  const storedKey = await store.get(sealKey);
  if (storedKey !== null) return Buffer.from(storedKey, 'base64');
  if (marked && store.kind === 'keychain') {
    throw unavailable(dataDir, 'which does not have them. They belong to the user and the folder that they were made for: put it back');
  }
  const made = randomBytes(32);
  await store.set(sealKey, made.toString('base64'));
  return made;
}

function unavailable(dataDir: string, what: string): EngineError {
  return new EngineError(
    'keychain_unavailable',
    `The secrets of ${dataDir} are in the keychain of the operating system, ${what}, or delete ${join(dataDir, markName)} to begin anew.`,
  );
}

function vaultWarning({ dataDir, vaultKey }: OpenSecretsOptions): string {
  const path = join(dataDir, 'vault.json');
  return vaultKey === undefined
    ? `No keychain of the operating system is used. Secrets are in the encrypted file ${path}, whose key stands beside it: whoever can read the data folder can read them.`
    : `No keychain of the operating system is used. Secrets are in the encrypted file ${path}, opened by LONGSHORE_VAULT_KEY.`;
}
