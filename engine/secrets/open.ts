import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Keychain, keychainStore, loadKeychain } from './keychain.ts';
import type { SecretStore } from './ports.ts';
import { type Sealer, sealerOf } from './seal.ts';
import { openVault } from './vault.ts';

export interface OpenSecretsOptions {
  readonly dataDir: string;
  /** `auto` takes the keychain where there is a working one; `vault` never asks it. */
  readonly mode: 'auto' | 'vault';
  /** Opens the vault instead of the key file (`LONGSHORE_VAULT_KEY`). */
  readonly vaultKey?: string | undefined;
  readonly load?: () => Promise<Keychain | null>;
}

export interface OpenedSecrets {
  readonly store: SecretStore;
  /** Seals what stands in the agent's database; its key is one of the secrets. */
  readonly sealer: Sealer;
  readonly warnings: readonly string[];
}

const sealKey = 'state-key';

/** Opens the keychain, or else the vault. A data folder that has a vault keeps it, so that nothing in it is lost. */
export async function openSecrets(options: OpenSecretsOptions): Promise<OpenedSecrets> {
  const store = await choose(options);
  return { store, sealer: sealerOf(await keyIn(store)), warnings: store.kind === 'vault' ? [vaultWarning(options)] : [] };
}

async function choose({ dataDir, mode, vaultKey, load = loadKeychain }: OpenSecretsOptions): Promise<SecretStore> {
  if (mode === 'auto' && vaultKey === undefined && !existsSync(join(dataDir, 'vault.json'))) {
    const keychain = await load();
    const store = keychain ? await keychainStore(keychain, dataDir) : null;
    if (store) return store;
  }
  return openVault(dataDir, vaultKey);
}

async function keyIn(store: SecretStore): Promise<Buffer> {
  const kept = await store.get(sealKey);
  if (kept !== null) return Buffer.from(kept, 'base64');
  const made = randomBytes(32);
  await store.set(sealKey, made.toString('base64'));
  return made;
}

function vaultWarning({ dataDir, vaultKey }: OpenSecretsOptions): string {
  const path = join(dataDir, 'vault.json');
  return vaultKey === undefined
    ? `No keychain of the operating system is used. Secrets are in the encrypted file ${path}, whose key stands beside it: whoever can read the data folder can read them.`
    : `No keychain of the operating system is used. Secrets are in the encrypted file ${path}, opened by LONGSHORE_VAULT_KEY.`;
}
