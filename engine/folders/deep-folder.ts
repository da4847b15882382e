import { closeSync, constants, mkdirSync, openSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../errors.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** Used from this depth on. */
export const deepLevels = 16;

/**
 * Creates a deep folder below a real path without following links. Each level is created relative to the one above it,
 * since the kernel walks a whole path again for every call: for two thousand levels that takes seconds. Linux only;
 * `null` where it cannot be done or something is in the way: the usual function then finds the reason and reports it.
 */
export function makeDeepFolder(root: string, parts: readonly string[], platform = process.platform): string | null {
  if (platform !== 'linux') return null;
  const whole = join(root, ...parts);
  // One of these nearly always exists, because folders are requested one after the other.
  if (isReal(whole)) return whole;
  const parent = join(root, ...parts.slice(0, -1));
  const [from, missing] = isReal(parent) ? [parent, parts.slice(-1)] : [root, parts];
  let fd: number | null = null;
  try {
    fd = openFolder(from);
    for (const name of missing) {
      const inside = openOrMake(join(`/proc/self/fd/${fd}`, name));
      closeSync(fd);
      fd = inside;
    }
    return readlinkSync(`/proc/self/fd/${fd}`) === whole ? whole : null;
  } catch {
    return null;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

const openFolder = (path: string): number => openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);

function openOrMake(path: string): number {
  try {
    return openFolder(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  try {
    mkdirSync(path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  return openFolder(path);
}

/** Whether it is a folder whose path contains no link. */
function isReal(path: string): boolean {
  let fd: number | null = null;
  try {
    fd = openFolder(path);
    return readlinkSync(`/proc/self/fd/${fd}`) === path;
  } catch {
    return false;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}
