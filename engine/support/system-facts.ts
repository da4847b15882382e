import { readdirSync, statfsSync, statSync } from 'node:fs';
import { arch, availableParallelism, freemem, platform, release, totalmem, uptime } from 'node:os';
import { join } from 'node:path';

/** Facts about the machine and the process, for support. Sizes in bytes, times in seconds. */
export function systemFacts(dataDir: string): object {
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return {
    system: { platform: platform(), release: release(), arch: arch(), cores: availableParallelism(), uptime: Math.round(uptime()) },
    memory: { total: totalmem(), free: freemem() },
    process: {
      node: process.version,
      uptime: Math.round(process.uptime()),
      cpu: { user: user / 1e6, system: system / 1e6 },
      memory: { rss, heap_used: heapUsed, external },
      // Without the values, which may be secret.
      environment: Object.keys(process.env).filter((name) => name.startsWith('LONGSHORE_')),
    },
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    data_folder: { path: dataDir, disk: diskOf(dataDir), files: filesIn(dataDir) },
  };
}

function diskOf(path: string): object | null {
  try {
    const { type, bsize, blocks, bavail } = statfsSync(path);
    return { type: `0x${type.toString(16)}`, size: bsize * blocks, free: bsize * bavail };
  } catch {
    return null;
  }
}

function filesIn(folder: string): object[] {
  try {
    return readdirSync(folder).map((name) => {
      const found = statSync(join(folder, name), { throwIfNoEntry: false });
      return { name, size: found?.size ?? 0, last_modified: found?.mtime.toISOString() ?? '' };
    });
  } catch {
    return [];
  }
}
