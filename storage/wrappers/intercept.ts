import { StorageError } from '../errors.ts';
import type { ObjectStorage, StoredObject, UploadToComplete } from '../ports.ts';

type Port = Required<ObjectStorage>;
type MethodName = { [Name in keyof Port]: Port[Name] extends (...args: never[]) => unknown ? Name : never }[keyof Port];

/** Every method of the port but those that send nothing. */
export type CallName = Exclude<MethodName, 'close' | 'locate'>;

interface Call<Args extends readonly unknown[]> {
  /** The key for the log; for a batch, that of the first object and the number of the others. */
  readonly key: (...args: Args) => string;
  /** Signs only, so its success says nothing about the storage. */
  readonly signs?: true;
}

const keyFirst = (key: string): string => key;
const firstKey = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} and ${others.length} more`;
const keyOfFirst = (objects: readonly { readonly key: string }[]): string => firstKey(objects.map(({ key }) => key));

/** A method that the port gets and that is missing here does not compile. */
export const calls: { readonly [Name in CallName]: Call<Parameters<Port[Name]>> } = {
  presignCreate: { key: keyFirst, signs: true },
  presignParts: { key: keyFirst, signs: true },
  presignPartsAsJson: { key: keyFirst, signs: true },
  presignPartRange: { key: keyFirst, signs: true },
  presignBatch: { key: keyFirst, signs: true },
  presignRead: { key: keyFirst, signs: true },
  presignReadBatch: { key: firstKey, signs: true },
  beginWhole: { key: keyOfFirst, signs: true },
  begin: { key: keyFirst },
  putPart: { key: ({ key }) => key },
  listParts: { key: keyFirst },
  bytesReceived: { key: keyFirst },
  complete: { key: keyFirst },
  completeAll: { key: keyOfFirst },
  abort: { key: keyFirst },
  head: { key: keyFirst },
  read: { key: keyFirst },
  readInto: { key: keyFirst },
  write: { key: keyFirst },
  delete: { key: keyFirst },
  deleteSegment: { key: keyFirst },
  listSegments: { key: () => '' },
  pack: { key: firstKey },
  endUploads: { key: () => '' },
  list: { key: keyFirst },
  listUploads: { key: (after) => after?.key ?? '' },
};

/** Runs one call. May run it again: all storage calls are idempotent. */
type Interceptor = <T>(name: CallName, key: string, call: () => Promise<T>) => Promise<T>;

type AnyCall = (...args: unknown[]) => Promise<unknown>;

/** A storage whose every call `intercept` runs. */
export function interceptCalls(storage: ObjectStorage, intercept: Interceptor): ObjectStorage {
  const wrapped = (Object.keys(calls) as CallName[]).flatMap((name) => {
    const call = storage[name]?.bind(storage) as AnyCall | undefined;
    const keyOf = calls[name].key as (...args: unknown[]) => string;
    return call ? [[name, (...args: unknown[]) => intercept(name, keyOf(...args), () => call(...args))]] : [];
  });
  return {
    ...storage,
    ...Object.fromEntries(wrapped),
    ...(storage.completeAll && { completeAll: interceptBatch(storage.completeAll.bind(storage), intercept) }),
  };
}

/**
 * `completeAll` returns failures instead of throwing them, but `intercept` has to see one, to log or retry the call. It
 * gets a temporary failure if there is one, otherwise one that somebody has to fix. The next attempt contains only the
 * uploads with a temporary failure.
 */
function interceptBatch(completeAll: Port['completeAll'], intercept: Interceptor): Port['completeAll'] {
  return async (uploads) => {
    const results: (StoredObject | StorageError)[] = [];
    let open: readonly [number, UploadToComplete][] = [...uploads.entries()];
    const attempt = async (): Promise<void> => {
      const asked = open;
      const answers = await completeAll(asked.map(([, upload]) => upload));
      for (const [at, [index]] of asked.entries()) results[index] = answers[at]!;
      open = asked.filter(([index]) => retryOf(results[index]!) === 'soon');
      const failure = open[0] ? results[open[0][0]] : results.find((result) => retryOf(result) === 'once_fixed');
      if (failure) throw failure;
    };
    try {
      await intercept('completeAll', keyOfFirst(uploads), attempt);
    } catch (error) {
      if (!results.includes(error as StorageError)) throw error;
    }
    return results;
  };
}

const retryOf = (result: StoredObject | StorageError) => (result instanceof StorageError ? result.retry : 'never');
