import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { SecretStore } from './ports.ts';

/** The part of `keytar` that we use; the package is optional and its native part may not load. */
export interface Keychain {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}

const service = 'Longshore';

/** `null` where this system has no keychain that we can load. */
export async function loadKeychain(): Promise<Keychain | null> {
  try {
    const name: string = 'keytar';
    const module = (await import(name)) as { default?: Keychain } & Partial<Keychain>;
    return module.default ?? (module.getPassword ? (module as Keychain) : null);
  } catch {
    return null;
  }
}

/** Time for a person to unlock it. On a server, an invisible prompt would block the start forever. */
const unlockMilliseconds = 60_000;

async function inTime(works: Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(late.resolve, timeoutMs, false);
  return Promise.race([works.catch(() => false), late.promise]).finally(() => clearTimeout(timer));
}

/**
 * Secrets in the operating system's keychain, separate for each data folder. `null` if the keychain does not work: on a
 * server its service is often installed but not running, so a test value is written and read first.
 */
export async function keychainStore(keychain: Keychain, dataDir: string, timeoutMs = unlockMilliseconds): Promise<SecretStore | null> {
  const folder = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16);
  const account = (name: string): string => `${folder}/${name}`;
  const probe = async (): Promise<boolean> => {
    await keychain.setPassword(service, account('probe'), folder);
    if ((await keychain.getPassword(service, account('probe'))) !== folder) return false;
    await keychain.deletePassword(service, account('probe'));
    return true;
  };
  if (!(await inTime(probe(), timeoutMs))) return null;
  return {
    kind: 'keychain',
    get: (name) => keychain.getPassword(service, account(name)),
    set: (name, value) => keychain.setPassword(service, account(name), value),
    delete: async (name) => void (await keychain.deletePassword(service, account(name))),
  };
}
