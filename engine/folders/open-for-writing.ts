import { join } from 'node:path';
import { openFlags } from '#filesystem/flags.ts';
import { readFully } from '#filesystem/fully.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';

export interface OpenFilesSource {
  /** Where the system tells what each process has open; only Linux does so in files. */
  readonly proc: string;
  /** The agent, which does not wait for itself. */
  readonly ownPid: number;
  readonly platform: NodeJS.Platform;
  readonly fileSystem: FileSystem;
}

/** Access modes in an open file's flags, as Linux numbers them (fcntl.h): the lowest two bits. */
const accessMask = 0o3;
const readOnly = 0o0;

/** Descriptors looked at before the event loop gets a turn. */
const slice = 256;

/**
 * Which of these files another process has open for writing, so that it is not whole although nothing was written for a
 * while. One walk through `/proc`, whatever the number of paths. A process of another user is seen only by root; for
 * the others, and on other systems, a file is judged by its size and time alone.
 *
 * @param paths real paths
 */
export async function openForWriting(paths: ReadonlySet<string>, given: Partial<OpenFilesSource> = {}): Promise<ReadonlySet<string>> {
  const { proc = '/proc', ownPid = process.pid, platform = process.platform, fileSystem = nodeFileSystem } = given;
  const found = new Set<string>();
  if (platform !== 'linux' || paths.size === 0) return found;
  let looked = 0;
  for (const pid of orNone(() => fileSystem.list(proc))) {
    if (!/^\d+$/.test(pid) || Number(pid) === ownPid) continue;
    // Processes and their files go away at any time, and those of others may not be looked at.
    for (const descriptor of orNone(() => fileSystem.list(join(proc, pid, 'fd')))) {
      if (++looked % slice === 0) await new Promise((resume) => setImmediate(resume));
      const [target] = orNone(() => [fileSystem.readLink(join(proc, pid, 'fd', descriptor))]);
      if (target === undefined || found.has(target) || !paths.has(target)) continue;
      if (await isForWriting(join(proc, pid, 'fdinfo', descriptor), fileSystem)) found.add(target);
    }
  }
  return found;
}

function orNone(list: () => readonly string[]): readonly string[] {
  try {
    return list();
  } catch {
    return [];
  }
}

async function isForWriting(info: string, fileSystem: FileSystem): Promise<boolean> {
  const buffer = Buffer.alloc(512);
  try {
    const file = await fileSystem.open(info, openFlags.read);
    try {
      const text = buffer.toString('latin1', 0, await readFully(file, buffer, buffer.length, 0));
      const flags = /^flags:\s*([0-7]+)$/m.exec(text)?.[1];
      return flags !== undefined && (Number.parseInt(flags, 8) & accessMask) !== readOnly;
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}
