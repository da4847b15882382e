import { existsSync } from 'node:fs';

const setpriv = '/usr/bin/setpriv';

/**
 * A program and its arguments, so that Linux ends it once this process is gone, even if that was killed. Elsewhere as they are.
 *
 * @param signal KILL for a program that may be stopped or hanging then
 */
export const endsWithUs = (program: string, args: readonly string[], signal: 'TERM' | 'KILL' = 'TERM'): [string, string[]] =>
  existsSync(setpriv) ? [setpriv, ['--pdeathsig', signal, '--', program, ...args]] : [program, [...args]];
