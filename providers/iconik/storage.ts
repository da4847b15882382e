import { ProviderError } from '../errors.ts';
import { type IconikApi, textIn } from './api.ts';

/** How a storage takes bytes, as far as Longshore can bring them. */
export const storageMethods = ['S3', 'GCS'] as const;
export type StorageMethod = (typeof storageMethods)[number];

/** What iconik calls the others, for people. */
const others: Readonly<Record<string, string>> = {
  FILE: 'an iconik Storage Gateway',
  B2: 'Backblaze B2',
  AZURE: 'Azure Blob Storage',
};

export interface IconikStorage {
  readonly id: string;
  /** How it takes bytes; asked for once. Throws where that cannot be served, or the storage is not ready. */
  method(signal: AbortSignal): Promise<StorageMethod>;
  /** Whether iconik itself reaches the bucket behind it. */
  check(signal: AbortSignal): Promise<void>;
}

/** The storage of the connection. */
export function createStorage({ find }: IconikApi, id: string): IconikStorage {
  const path = `/files/v1/storages/${id}/`;
  const none = () =>
    new ProviderError('no_destination', 'There is no storage of this ID in iconik, or the user of the application token may not see it.');
  let known: StorageMethod | null = null;

  async function method(signal: AbortSignal): Promise<StorageMethod> {
    if (known) return known;
    const record = await find({ method: 'GET', path }, signal);
    if (!record) throw none();
    const named = textIn(record, 'method');
    const served = storageMethods.find((one) => one === named);
    if (!served) {
      throw new ProviderError(
        'misconfigured',
        `The storage in iconik lies at ${others[named] ?? 'a kind of storage'} where Longshore cannot write through iconik. Choose a storage at Amazon S3, at one that is compatible with it, or at Google Cloud Storage.`,
      );
    }
    if (record['purpose'] !== 'FILES') {
      throw new ProviderError(
        'misconfigured',
        'The storage in iconik does not hold original files: its purpose is another. Choose a storage with the purpose Files.',
      );
    }
    if (record['status'] !== 'ACTIVE') {
      throw new ProviderError(
        'no_destination',
        'The storage in iconik is not active, or iconik cannot reach it. Its page in iconik, below Admin, Storages, says more.',
      );
    }
    known = served;
    return served;
  }

  return {
    id,
    method,
    async check(signal) {
      await method(signal);
      const access = await find({ method: 'GET', path: `${path}verifications/permissions/` }, signal);
      if (!access) throw none();
      const lacking = (['read', 'write', 'delete'] as const).filter((one) => access[`${one}_access`] === false);
      if (lacking.length === 0) return;
      throw new ProviderError(
        'forbidden',
        `In the bucket of this storage iconik itself may not ${lacking.join(', ')}. Correct the storage's credentials in iconik, or the bucket's permissions.`,
      );
    },
  };
}
