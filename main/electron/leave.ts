import type { App } from 'electron';
import { LateStopError } from '#net/stop-within.ts';

/** How the app's process ends. */
export interface Ending {
  /** Whether calls of files are left that no disk answers. */
  diskCalls(): Promise<boolean>;
  /** Ends the process whatever it waits for. */
  endProcess(): void;
}

/**
 * Ends the app once its agent has closed. Electron's own exit waits for the threads that read and write files, so on a disk
 * that does not answer it never returns; the state on disk is consistent at any moment, and pages end with this process.
 *
 * @param failure why the agent did not stop in order
 */
export async function leave(app: Pick<App, 'exit'>, { diskCalls, endProcess }: Ending, failure?: unknown): Promise<void> {
  if (failure instanceof LateStopError || (await diskCalls())) endProcess();
  else app.exit(failure === undefined ? 0 : 1);
}
