import { getPriority, setPriority } from 'node:os';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { createDigester } from '#providers/digests.ts';
import type { DigestAnswer, DigestRequest } from './digest-thread.ts';

/** The thread that makes digests of parts (digest-thread.ts). */
const parent = parentPort as MessagePort;

/** Below the threads that callers wait for. */
const niceness = 5;

// Only on Linux is 0 this thread alone, and not the whole process. It may be lower already, with its process.
if (process.platform === 'linux' && getPriority(0) < niceness) setPriority(0, niceness);

parent.on('message', async ({ id, names, pieces }: DigestRequest) => {
  const digester = await createDigester(names);
  for (const piece of pieces) digester.update(piece);
  parent.postMessage({ id, digests: digester.digests() } satisfies DigestAnswer);
});
