import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '#main/start/ports.ts';
import { frontConfig } from '#test/support/storage/nginx.ts';
import type { Contender, Run, Sample } from './contender.ts';
import { longshoreContender, startLongshore } from './longshore.ts';
import type { Material } from './material.ts';
import { startServerProcess } from './peers/server-process.ts';

/** Longshore as an operator runs it for many receivers: an nginx before the storage sends downloads from the disk (resources/nginx). */

export const front = { name: 'Longshore', server: 'nginx in front' } as const;

interface FrontOptions {
  /** nginx. */
  readonly program: string;
  /** A folder of its own. */
  readonly folder: string;
  readonly material: Material;
  readonly profile: string | null;
  readonly signal: AbortSignal;
  /** What ends it; the last first. */
  readonly endings: (() => Promise<void>)[];
}

/** The large file alone. Its server's CPU is the service's and nginx's. */
export async function frontContender({ program, folder, material, profile, signal, endings }: FrontOptions): Promise<Contender> {
  const [port, storagePort] = [await freePort(0), await freePort(0)];
  const url = `http://127.0.0.1:${port}`;
  const longshore = await startLongshore({
    folder,
    profile,
    storage: { port: storagePort, publicUrl: url },
    serviceArgs: ['--storage-accel', 'nginx', '--trust-proxy', 'loopback'],
    signal,
  });
  endings.push(() => longshore.stop());
  const home = join(folder, 'nginx');
  mkdirSync(home);
  const objects = join(folder, 'service', 'objects', 'objects');
  writeFileSync(join(home, 'nginx.conf'), frontConfig({ port, storagePort, objects, folder: home, logs: false }));
  const nginx = await startServerProcess({
    program,
    args: ['-p', `${home}/`, '-c', 'nginx.conf'],
    folder: home,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    url: `${url}/-/healthz`,
    signal,
  });
  endings.push(() => nginx.stop());
  const { works } = await longshoreContender(longshore, material, ['big']);
  const withNginx =
    (work: (run: Run) => Promise<Sample>) =>
    async (run: Run): Promise<Sample> => {
      const before = nginx.cpuSeconds();
      const sample = await work(run);
      return { ...sample, serverCpuSeconds: sample.serverCpuSeconds + nginx.cpuSeconds() - before };
    };
  return { ...front, works: { big_up: withNginx(works.big_up!), big_down: withNginx(works.big_down!) } };
}
