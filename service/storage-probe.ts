import { opendir } from 'node:fs/promises';
import { request } from 'undici';
import { healthPath } from '#protocol/storage/requests.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import { type IsProxy, ownPortAgent } from './own-port.ts';
import type { Probe } from './readiness.ts';

interface ProbedStorage {
  readonly storage: Pick<ObjectStorage, 'head'>;
  /** Where local storage listens; empty for another one. */
  readonly url: string;
  /** Where local storage has its objects; null for another one. */
  readonly folder: string | null;
}

/** No object has this name: a storage that can say so answers. */
const absentKey = 'check/readiness';

/**
 * By a call that can be left behind. Lookups of local storage are synchronous (0080), so on a disk that does not answer the first one
 * would hold up all that this process does, and no stop would be heard.
 */
async function askDisk(folder: string | null): Promise<void> {
  if (folder === null) return;
  await (await opendir(folder)).close();
}

/** Whether the storage answers: to the service, and at the port where senders and receivers come in if it is local. */
export function storageProbe({ storage, url, folder }: ProbedStorage, isProxy: IsProxy): Probe<'storage'> {
  const dispatcher = ownPortAgent(isProxy);
  let running: Promise<unknown> | null = null;
  // A call that hangs goes on after its answer is no longer waited for: there is one at a time.
  const head = (): Promise<unknown> => {
    running ??= askDisk(folder)
      .then(() => storage.head(absentKey))
      .finally(() => {
        running = null;
      });
    return running;
  };
  return {
    parts: ['storage'],
    async look(signal) {
      const [, port] = await Promise.all([head(), url === '' ? null : request(`${url}/${healthPath}`, { signal, dispatcher })]);
      await port?.body.dump();
      return { storage: port !== null && port.statusCode !== 200 ? 'Its port does not answer as it should.' : null };
    },
  };
}
