import { startLocalStorage } from '#storage/local/server.ts';

/**
 * Local storage in a process that a test can kill: `local-storage-process.ts FOLDER`. Begins an upload and
 * prints, as one line of JSON, its id and the addresses of its first two parts, of 3,000,000 and 8,000,000 bytes.
 */
const root = process.argv[2]!;
const key = 'package/file';
const { storage } = await startLocalStorage({ root, secret: Buffer.alloc(32, 7), listen: { host: '127.0.0.1', port: 0 } });
const expiresAt = new Date(Date.now() + 3_600_000);
const create = await storage.presignCreate(key, expiresAt);
const answer = await (await fetch(create.url, { method: create.method })).text();
const uploadId = /<UploadId>([^<]+)</.exec(answer)![1]!;
const sizes = [3_000_000, 8_000_000];
const [first, second] = await storage.presignParts(
  key,
  uploadId,
  sizes.map((size, index) => ({ partNumber: index + 1, size, maxSize: size })),
  expiresAt,
);
process.stdout.write(`${JSON.stringify({ uploadId, first: first!.url, second: second!.url })}\n`);
