import crypto, { type ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Has scrypt give a key that it has made once without the third of a second of another time: the same keys, for a test that
 * opens one sealed file again and again. Returns what ends it.
 */
export function rememberScrypt(): () => void {
  const real = crypto.scryptSync;
  const keys = new Map<string, ReturnType<typeof real>>();
  const text = (value: unknown): string => (typeof value === 'string' ? value : Buffer.from(value as Uint8Array).toString('hex'));
  const remembering = (password: crypto.BinaryLike, salt: crypto.BinaryLike, length: number, options?: ScryptOptions) => {
    const name = JSON.stringify([text(password), text(salt), length, options]);
    const key = keys.get(name) ?? real(password, salt, length, options);
    keys.set(name, key);
    return Buffer.from(key);
  };
  put(remembering);
  return () => put(real);
}

function put(scryptSync: typeof crypto.scryptSync): void {
  crypto.scryptSync = scryptSync;
  syncBuiltinESMExports();
}
