import type { ObjectStorage } from '../ports.ts';

/** The calls that go to the storage; all take the key first. */
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

/** Runs one call. May run it again: all calls of a storage may be repeated. */
export type Around = <T>(name: CallName, key: string, call: () => Promise<T>) => Promise<T>;

type AnyCall = (key: string, ...rest: unknown[]) => Promise<unknown>;

/** The same storage with something done around each call. */
export function aroundCalls(storage: ObjectStorage, around: Around): ObjectStorage {
  const wrapped = Object.fromEntries(
    calls.map((name) => {
      const call = storage[name].bind(storage) as AnyCall;
      return [name, (key: string, ...rest: unknown[]) => around(name, key, () => call(key, ...rest))];
    }),
  );
  return { ...storage, ...wrapped };
}
