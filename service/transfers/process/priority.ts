import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of this process with all its threads; those started later have that of the thread that starts them. On
 * Linux a priority is a thread's. A thread that is lower already stays so.
 */
export function lowerPriority(niceness: number): void {
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
  for (const thread of threads) {
    try {
      if (getPriority(thread) < niceness) setPriority(thread, niceness);
    } catch {
      // It has ended, or the system does not allow it: the work is done all the same.
    }
  }
}
