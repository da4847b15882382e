import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLoopback } from './callers.ts';
import { tokenFileName } from './token.ts';

/**
 * The address of a running agent that requires a token, for commands of the same user. They read the token from the
 * file next to it. The token is sent only to this address and only while this process lives; otherwise any program that
 * takes over the port would get it.
 */
const fileName = 'running.json';

interface Running {
  readonly url: string;
  readonly pid: number;
}

/** Writes the file when the agent listens. Returns the function that removes it. */
export function noteRunning(dataDir: string, url: string): () => void {
  const file = join(dataDir, fileName);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify({ url, pid: process.pid } satisfies Running)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return () => rmSync(file, { force: true });
}

/** The token of the agent that runs with this data folder, if it listens at this address; otherwise `null`. */
export function tokenOfRunning(dataDir: string, url: string): string | null {
  try {
    const running = JSON.parse(readFileSync(join(dataDir, fileName), 'utf8')) as Running;
    if (!isSame(running.url, url)) return null;
    // Throws where no such process exists, and where it belongs to another user.
    process.kill(running.pid, 0);
    return readFileSync(join(dataDir, tokenFileName), 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/** Whether the agent listens at the asked address: the same one, or all addresses of this machine. */
function isSame(running: string, asked: string): boolean {
  if (running === asked) return true;
  const [one, other] = [URL.parse(running), URL.parse(asked)];
  if (one?.protocol !== 'http:' || other?.protocol !== 'http:' || one.port !== other.port) return false;
  const hostOf = ({ hostname }: URL): string => hostname.replaceAll(/[[\]]/g, '');
  const everywhere = ['0.0.0.0', '::'];
  return isLoopback(hostOf(other)) && (isLoopback(hostOf(one)) || everywhere.includes(hostOf(one)));
}
