import type { ObjectStorage } from '../ports.ts';

/** The calls that reach the storage; each has the key as its first argument. */
export const calls = [
  'presignCreate',
  'presignParts',
  'listParts',
  'complete',
  'abort',
  'head',
  'read',
  'presignRead',
  'write',
  'delete',
] as const;

export type CallName = (typeof calls)[number];

/** Runs one call. May run it again: all storage calls are idempotent. */
export type Around = <T>(name: CallName, key: string, call: () => Promise<T>) => Promise<T>;

type AnyCall = (key: string, ...rest: unknown[]) => Promise<unknown>;

/** Wraps a storage: `around` runs each of its calls. */
export function aroundCalls(storage: ObjectStorage, around: Around): ObjectStorage {
  const wrapped = Object.fromEntries(
    calls.map((name) => {
      const call = storage[name].bind(storage) as AnyCall;
      return [name, (key: string, ...rest: unknown[]) => around(name, key, () => call(key, ...rest))];
    }),
  );
  return { ...storage, ...wrapped };
}
