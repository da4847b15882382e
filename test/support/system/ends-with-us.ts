import { existsSync } from 'node:fs';

const setpriv = '/usr/bin/setpriv';

/** A program and its arguments, so that Linux ends it once this process is gone, even if that was killed. Elsewhere as they are. */
export const endsWithUs = (program: string, args: readonly string[]): [string, string[]] =>
  existsSync(setpriv) ? [setpriv, ['--pdeathsig', 'TERM', '--', program, ...args]] : [program, [...args]];
