import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '#main/start/ports.ts';
import { type Material, nameOf } from '../material.ts';
import { bucketList, nginxConfig } from './nginx-config.ts';
import { buckets, bytesBelow, type PeerServer } from './server.ts';
import { startServerProcess } from './server-process.ts';

export interface ServerOptions {
  readonly program: string;
  /** A folder of its own, on the file system of the material. */
  readonly folder: string;
  readonly material: Material;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Starts nginx, with the material linked into its buckets. */
export async function startNginx({ program, folder, material, env, signal }: ServerOptions): Promise<PeerServer> {
  const port = await freePort(0);
  const root = join(folder, 'root');
  const object = join(root, 'object');
  for (const bucket of [buckets.incoming, buckets.big, buckets.small]) mkdirSync(join(object, bucket), { recursive: true });
  mkdirSync(join(root, 'list'));
  mkdirSync(join(folder, 'body'));
  linkSync(material.big, join(object, buckets.big, nameOf(material.big)));
  for (const name of material.names) linkSync(join(material.small, name), join(object, buckets.small, name));
  const list = (name: string, entries: Parameters<typeof bucketList>[1]): void =>
    writeFileSync(join(root, 'list', `${name}.xml`), bucketList(name, entries));
  list('empty', []);
  list(buckets.big, [{ key: nameOf(material.big), size: material.bigBytes }]);
  list(
    buckets.small,
    material.names.map((key) => ({ key, size: material.smallBytes })),
  );
  writeFileSync(join(folder, 'nginx.conf'), nginxConfig({ port, asRoot: process.getuid?.() === 0 }));

  const url = `http://127.0.0.1:${port}`;
  const process_ = await startServerProcess({ program, args: ['-p', `${folder}/`, '-c', 'nginx.conf'], folder, env, url, signal });
  const incoming = [join(object, buckets.incoming), join(root, 'part', buckets.incoming)];
  return {
    name: 'nginx',
    url,
    cpuSeconds: process_.cpuSeconds,
    receivedBytes: () => incoming.reduce((sum, one) => sum + bytesBelow(one), 0),
    emptyIncoming() {
      for (const one of incoming) rmSync(one, { recursive: true, force: true });
    },
    stop: process_.stop,
  };
}
