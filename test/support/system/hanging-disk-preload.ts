import { open } from 'node:fs';

/**
 * Imported by a process (`--import`): by SIGUSR2 all threads that read and write files wait for a disk that does not answer, here for somebody who writes
 * to the pipe `LONGSHORE_TEST_PIPE`.
 */
process.on('SIGUSR2', () => {
  for (let thread = 0; thread < Number(process.env.UV_THREADPOOL_SIZE ?? 4); thread++)
    open(process.env.LONGSHORE_TEST_PIPE!, 'r', () => undefined);
});
