import { spawn } from 'node:child_process';

/** Waits until whoever started it is gone, gives the server that holds the file $2 20 s to end, and removes the folder $1. */
const program = `
cat >/dev/null
for wait in $(seq 100); do [ -e "$2" ] || break; sleep 0.2; done
rm -rf "$1"`;

/**
 * Has a folder removed once this process is gone, even if it was killed, and the file in it that says that a server uses
 * it. Returns what ends the watcher once the folder is removed. POSIX only; elsewhere a killed run leaves its folder.
 */
export const removeAfterUs = (folder: string, inUse = `${folder}/in-use`): (() => void) => runAfterUs(program, folder, inUse);

/**
 * Runs a shell's program once this process is gone. It begins with `cat >/dev/null`, which ends then, or with what is returned.
 * POSIX only.
 */
export function runAfterUs(program: string, ...args: readonly string[]): () => void {
  if (process.platform === 'win32') return () => undefined;
  // A group of its own: Ctrl-C is for the run.
  const child = spawn('/bin/sh', ['-c', program, 'longshore-test-remove', ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  child.stdin.on('error', () => undefined);
  child.unref();
  return () => void child.stdin.end();
}
