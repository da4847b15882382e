import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Keychain, keychainStore } from '#engine/secrets/keychain.ts';
import { openSecrets } from '#engine/secrets/open-secrets.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openVault } from '#engine/secrets/vault.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;

beforeEach(async () => {
  folder = await tempFolder();
});

afterEach(() => folder.remove());

const words = 'the key of the operator';

function memoryKeychain(): Keychain & { readonly stored: Map<string, string> } {
  const stored = new Map<string, string>();
  return {
    stored,
    getPassword: async (_service, account) => stored.get(account) ?? null,
    setPassword: async (_service, account, password) => void stored.set(account, password),
    deletePassword: async (_service, account) => stored.delete(account),
  };
}

test('what is sealed opens with its key alone, and not when one byte differs', () => {
  const sealer = sealerOf(Buffer.alloc(32, 1));
  const sealed = sealer.seal('grüße');
  expect(sealer.open(sealed)).toBe('grüße');
  expect(sealer.seal('grüße')).not.toBe(sealed);
  expect(() => sealerOf(Buffer.alloc(32, 2)).open(sealed)).toThrow();
  const bytes = Buffer.from(sealed.slice(3), 'base64');
  bytes[bytes.length - 1]! ^= 1;
  expect(() => sealer.open(`v1.${bytes.toString('base64')}`)).toThrow();
  expect(() => sealer.open('grüße')).toThrow('not a sealed text');
});

test.each([
  ['its key file', undefined],
  ['a key in words', words],
])('a vault keeps secrets across openings, opened by %s', async (_by, key) => {
  const first = openVault(folder.path, key);
  await first.set('user-token', 'very secret');
  await first.set('other', 'x');
  await first.delete('other');
  const second = openVault(folder.path, key);
  expect([await second.get('user-token'), await second.get('other')]).toEqual(['very secret', null]);
  expect(readFileSync(join(folder.path, 'vault.json'), 'utf8')).not.toContain('very secret');
  expect(statSync(join(folder.path, 'vault.json')).mode & 0o777).toBe(0o600);
  if (key === undefined) expect(statSync(join(folder.path, 'vault.key')).mode & 0o777).toBe(0o600);
});

test('a vault that the key does not open is refused in words and left as it is', async () => {
  await openVault(folder.path, words).set('a', 'b');
  const before = readFileSync(join(folder.path, 'vault.json'));
  for (const key of ['another key, as long', undefined]) {
    expect(() => openVault(folder.path, key)).toThrow(expect.objectContaining({ code: 'vault_key_wrong' }));
  }
  expect(readFileSync(join(folder.path, 'vault.json')).equals(before)).toBe(true);
  expect(await openVault(folder.path, words).get('a')).toBe('b');
  expect(() => openVault(folder.path, 'short')).toThrow(expect.objectContaining({ code: 'vault_key_too_short' }));
});

test('a lost key file does not become a new one under an old vault', () => {
  openVault(folder.path, undefined);
  copyFileSync(join(folder.path, 'vault.key'), join(folder.path, 'kept'));
  rmSync(join(folder.path, 'vault.key'));
  expect(() => openVault(folder.path, undefined)).toThrow(expect.objectContaining({ code: 'vault_key_wrong' }));
  copyFileSync(join(folder.path, 'kept'), join(folder.path, 'vault.key'));
  openVault(folder.path, undefined);
  writeFileSync(join(folder.path, 'vault.json'), '{');
  expect(() => openVault(folder.path, undefined)).toThrow(expect.objectContaining({ code: 'vault_unusable' }));
});

test('the keychain is taken where it keeps, and warns of nothing', async () => {
  const keychain = memoryKeychain();
  const first = await openSecrets({ dataDir: folder.path, mode: 'auto', load: async () => keychain });
  expect([first.store.kind, first.warnings]).toEqual(['keychain', []]);
  const sealed = first.sealer.seal('x');
  const second = await openSecrets({ dataDir: folder.path, mode: 'auto', load: async () => keychain });
  expect(second.sealer.open(sealed)).toBe('x');
  expect(keychain.stored.size).toBe(1);
});

test.each([
  ['there is none', async () => null],
  ['its service does not run', async () => ({ ...memoryKeychain(), setPassword: () => Promise.reject(new Error('no dbus')) })],
  ['it forgets', async () => ({ ...memoryKeychain(), getPassword: async () => null })],
])('the vault stands in where the keychain cannot be used: %s', async (_why, load) => {
  const { store, warnings } = await openSecrets({ dataDir: folder.path, mode: 'auto', load });
  expect(store.kind).toBe('vault');
  expect(warnings).toEqual([expect.stringContaining('whoever can read the data folder')]);
  // What is in the vault stays in reach when a keychain appears.
  const later = await openSecrets({ dataDir: folder.path, mode: 'auto', load: async () => memoryKeychain() });
  expect(later.store.kind).toBe('vault');
});

test.each([
  ['there is none any more', async () => null],
  ['its service does not run', async () => ({ ...memoryKeychain(), setPassword: () => Promise.reject(new Error('no dbus')) })],
  ['it is of another user, or the folder was moved', async () => memoryKeychain()],
])('a folder whose secrets are in the keychain waits for that, and begins nothing anew: %s', async (_why, load) => {
  const keychain = memoryKeychain();
  const { sealer } = await openSecrets({ dataDir: folder.path, mode: 'auto', load: async () => keychain });
  const sealed = sealer.seal('x');
  const without = () => openSecrets({ dataDir: folder.path, mode: 'auto', load });
  await expect(without()).rejects.toMatchObject({ code: 'keychain_unavailable', retryable: true });
  await expect(openSecrets({ dataDir: folder.path, mode: 'auto', vaultKey: words, load })).rejects.toMatchObject({
    code: 'keychain_unavailable',
  });
  const again = await openSecrets({ dataDir: folder.path, mode: 'auto', load: async () => keychain });
  expect(again.sealer.open(sealed)).toBe('x');
  // A person who has read the sentence can begin anew.
  rmSync(join(folder.path, 'secrets-in-keychain'));
  expect((await without()).store.kind).toMatch(/vault|keychain/);
});

test('a keychain that waits for a person for ever is not waited for', async () => {
  const asks: Keychain = { ...memoryKeychain(), setPassword: () => new Promise(() => undefined) };
  expect(await keychainStore(asks, folder.path, 10)).toBeNull();
});
