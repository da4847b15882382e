import { type MessagePort, parentPort } from 'node:worker_threads';
import { createDigester } from '#providers/digests.ts';
import type { DigestAnswer, DigestRequest } from './digest-thread.ts';

/** The thread that makes digests of parts (digest-thread.ts). */
const parent = parentPort as MessagePort;

parent.on('message', async ({ id, names, pieces }: DigestRequest) => {
  const digester = await createDigester(names);
  for (const piece of pieces) digester.update(piece);
  parent.postMessage({ id, digests: digester.digests() } satisfies DigestAnswer);
});
