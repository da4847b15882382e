import { peakBytesOf, resetPeak, withChildren } from '../measure/processes.ts';

/** Memory of the service: its own, and that of its process for transfers while it is there. PostgreSQL is left out. */
const partsOf = (pid: number): number[] => withChildren(pid, 'transfers/process/child.ts');

export function resetServicePeak(pid: number): void {
  for (const part of partsOf(pid)) resetPeak(part);
}

/** Bytes; what both share is counted twice. */
export const peakOfService = (pid: number): number => partsOf(pid).reduce((sum, part) => sum + peakBytesOf(part), 0);
