/**
 * Ends this process at once and whatever it waits for, with the status of SIGKILL. `process.exit` waits for the threads that
 * read and write files, so on a disk or network drive that does not answer it never returns.
 */
export function endProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}
