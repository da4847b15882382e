import type { OpenFile } from '#filesystem/port.ts';

/**
 * Closes a file or folder that was only read. Nothing can be lost by that, so the error of a drive that has gone meanwhile
 * is none.
 */
export function closeReadNow(file: Pick<OpenFile, 'closeNow'>): void {
  try {
    file.closeNow();
  } catch {
    // The system has let go of it all the same.
  }
}

export async function closeRead(file: { close(): Promise<void> }): Promise<void> {
  await file.close().catch(() => undefined);
}
