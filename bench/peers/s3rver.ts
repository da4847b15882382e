import { createReadStream, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { freePort } from '#main/start/ports.ts';
import { nameOf } from '../material.ts';
import type { ServerOptions } from './nginx.ts';
import { buckets, bytesBelow, type PeerServer } from './server.ts';
import { startServerProcess } from './server-process.ts';

/** The credentials that it accepts; they are fixed in the package. */
export const s3rverKey = 'S3RVER';

/** The name that it gives to an object's bytes. */
const isObject = (name: string): boolean => name.endsWith('._S3rver_object');

/** Starts s3rver, a real S3 server, and puts the material into its buckets. */
export async function startS3rver({ folder, material, env, signal }: Omit<ServerOptions, 'program'>): Promise<PeerServer> {
  const port = await freePort(0);
  const data = join(folder, 'data');
  mkdirSync(data);
  const script = createRequire(import.meta.url).resolve('s3rver/bin/s3rver.js');
  const configured = Object.values(buckets).flatMap((bucket) => ['--configure-bucket', bucket]);
  const url = `http://127.0.0.1:${port}`;
  const args = [script, '--directory', data, '--address', '127.0.0.1', '--port', String(port), '--silent', ...configured];
  const process_ = await startServerProcess({ program: process.execPath, args, folder, env, url, signal });
  const incoming = join(data, buckets.incoming);
  try {
    await put(`${url}/${buckets.big}/${nameOf(material.big)}`, material.big, signal);
    const atOnce = pLimit(16);
    await atOnce.map(material.names, (name) => put(`${url}/${buckets.small}/${name}`, join(material.small, name), signal));
  } catch (error) {
    await process_.stop();
    throw error;
  }
  return {
    name: 's3rver',
    url,
    cpuSeconds: process_.cpuSeconds,
    receivedBytes: () => bytesBelow(incoming, isObject),
    emptyIncoming() {
      // The bucket is the folder itself.
      rmSync(incoming, { recursive: true, force: true });
      mkdirSync(incoming);
    },
    stop: process_.stop,
  };
}

async function put(url: string, file: string, signal: AbortSignal): Promise<void> {
  const body = createReadStream(file) as unknown as BodyInit;
  const reply = await fetch(url, { method: 'PUT', body, duplex: 'half', signal } as RequestInit);
  if (!reply.ok) throw new Error(`s3rver answered a PUT with ${reply.status}: ${await reply.text()}`);
  await reply.arrayBuffer();
}
