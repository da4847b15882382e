import { fileURLToPath } from 'node:url';

/** What a process does when it is killed. `like` is a regular expression of its path, request (`POST /v1/…`) or SQL. */
export interface KillMoment {
  /** `answer`: a request's answer has come; `read`, `write`: a file is opened for it; `keep`: a written file gets its name. */
  readonly at: 'commit' | 'look' | 'link' | 'unlink' | 'rename' | 'rmdir' | 'keep' | 'read' | 'write' | 'flush' | 'request' | 'answer';
  readonly like: string;
  /** The first, the second, … of them since it was started. */
  readonly nth: number;
  /** Whether it has happened by then; requests are killed before, answers after. */
  readonly when: 'before' | 'after';
}

const preload = fileURLToPath(new URL('./kill-moment-preload.ts', import.meta.url));

/** The environment of a process that kills itself at this very moment by SIGKILL. */
export const killedAt = (moment: KillMoment): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import "${preload}"`,
  LONGSHORE_TEST_KILL: JSON.stringify(moment),
});
