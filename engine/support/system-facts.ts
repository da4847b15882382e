import { arch, availableParallelism, freemem, platform, release, totalmem, uptime } from 'node:os';
import { join } from 'node:path';
import type { FileSystem } from '#filesystem/port.ts';

/** Facts about the machine and the process, for support. Sizes in bytes, times in seconds. */
export function systemFacts(dataDir: string, fileSystem: FileSystem): object {
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
    data_folder: { path: dataDir, disk: diskOf(fileSystem, dataDir), files: filesIn(fileSystem, dataDir) },
  };
}

function diskOf(fileSystem: FileSystem, path: string): object | null {
  try {
    const { type, total, free } = fileSystem.space(path);
    return { type: `0x${type.toString(16)}`, size: total, free: free ?? 0 };
  } catch {
    return null;
  }
}

function filesIn(fileSystem: FileSystem, folder: string): object[] {
  try {
    return fileSystem.list(folder).map((name) => {
      const found = fileSystem.stat(join(folder, name));
      return { name, size: found?.size ?? 0, last_modified: found ? new Date(Math.round(found.mtimeMs)).toISOString() : '' };
    });
  } catch {
    return [];
  }
}
