import { createInterface } from 'node:readline';
import { startLocalStorage } from '#storage/local/server.ts';
import type { UploadToComplete } from '#storage/ports.ts';
import { beginWhole } from './packed.ts';

/**
 * Local storage in a process that a test can kill: `packing-process.ts FOLDER`. Begins three uploads of 10 KiB, prints
 * them with the address for many parts as one line of JSON, completes the uploads of each line that it reads, and prints
 * their objects.
 */
const root = process.argv[2]!;
const { storage } = await startLocalStorage({ root, secret: Buffer.alloc(32, 7), listen: { host: '127.0.0.1', port: 0 } });
const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
print({ batchPutUrl: storage.batchPutUrl, uploads: await beginWhole(storage, [10_240, 10_240, 10_240]) });
for await (const line of createInterface({ input: process.stdin }))
  print(await storage.completeAll!(JSON.parse(line) as UploadToComplete[]));
