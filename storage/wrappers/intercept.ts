import { StorageError } from '../errors.ts';
import type { ObjectStorage, StoredObject, UploadToComplete } from '../ports.ts';

type Port = Required<ObjectStorage>;
type MethodName = { [Name in keyof Port]: Port[Name] extends (...args: never[]) => unknown ? Name : never }[keyof Port];

/** Every method of the port but `close`, which sends nothing. */
export type CallName = Exclude<MethodName, 'close'>;

interface Call<Args extends readonly unknown[]> {
  /** The key for the log; for a batch, that of the first object and the number of the others. */
  readonly key: (...args: Args) => string;
  /** Signs only, so its success says nothing about the storage. */
  readonly signs?: true;
}

const keyFirst = (key: string): string => key;
const keyOfFirst = ([first, ...others]: readonly { readonly key: string }[]): string =>
  others.length === 0 ? (first?.key ?? '') : `${first?.key} and ${others.length} more`;

/** A method that the port gets and that is missing here does not compile. */
export const calls: { readonly [Name in CallName]: Call<Parameters<Port[Name]>> } = {
  presignCreate: { key: keyFirst, signs: true },
  presignParts: { key: keyFirst, signs: true },
  presignPartsAsJson: { key: keyFirst, signs: true },
  presignRead: { key: keyFirst, signs: true },
  beginWhole: { key: keyOfFirst, signs: true },
  listParts: { key: keyFirst },
  complete: { key: keyFirst },
  completeAll: { key: keyOfFirst },
  abort: { key: keyFirst },
  head: { key: keyFirst },
  read: { key: keyFirst },
  write: { key: keyFirst },
  delete: { key: keyFirst },
};

/** Runs one call. May run it again: all storage calls are idempotent. */
type Around = <T>(name: CallName, key: string, call: () => Promise<T>) => Promise<T>;

type AnyCall = (...args: unknown[]) => Promise<unknown>;

/** Wraps a storage: `around` runs each of its calls. */
export function aroundCalls(storage: ObjectStorage, around: Around): ObjectStorage {
  const wrapped = (Object.keys(calls) as CallName[]).flatMap((name) => {
    const call = storage[name]?.bind(storage) as AnyCall | undefined;
    const keyOf = calls[name].key as (...args: unknown[]) => string;
    return call ? [[name, (...args: unknown[]) => around(name, keyOf(...args), () => call(...args))]] : [];
  });
  return {
    ...storage,
    ...Object.fromEntries(wrapped),
    ...(storage.completeAll && { completeAll: aroundEach(storage.completeAll.bind(storage), around) }),
  };
}

/**
 * `completeAll` returns failures instead of throwing them. `around` is given the first one that a retry can help against,
 * and its next attempt asks only for the uploads that failed.
 */
function aroundEach(completeAll: Port['completeAll'], around: Around): Port['completeAll'] {
  return async (uploads) => {
    const results: (StoredObject | StorageError)[] = [];
    let open: readonly [number, UploadToComplete][] = [...uploads.entries()];
    const attempt = async (): Promise<void> => {
      const asked = open;
      const answers = await completeAll(asked.map(([, upload]) => upload));
      for (const [at, [index]] of asked.entries()) results[index] = answers[at]!;
      open = asked.filter(([index]) => helps(results[index]!));
      const [failed] = open;
      if (failed) throw results[failed[0]];
    };
    try {
      await around('completeAll', keyOfFirst(uploads), attempt);
    } catch (error) {
      if (!results.includes(error as StorageError)) throw error;
    }
    return results;
  };
}

const helps = (result: StoredObject | StorageError): boolean => result instanceof StorageError && result.retryable;
