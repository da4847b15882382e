import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { returnToInvokingFolder } from '#main/invoked-from.ts';

/** Where relative paths lead when a command was started by `npm run`. */

const started = process.cwd();
const elsewhere = realpathSync(tmpdir());
afterEach(() => process.chdir(started));

it.each([
  ['by npm, in the project: back to where it was typed', { INIT_CWD: elsewhere, npm_lifecycle_event: 'longshore' }, started, elsewhere],
  ['by a program in a folder of its own that npm started: stays', { INIT_CWD: elsewhere, npm_lifecycle_event: 'dev' }, '/other', started],
  ['without npm: stays', { INIT_CWD: elsewhere }, started, started],
  ['a folder that is gone: stays', { INIT_CWD: `${elsewhere}/gone-since`, npm_lifecycle_event: 'longshore' }, started, started],
])('%s', (_, env, project, expected) => {
  returnToInvokingFolder(env, project);
  expect(process.cwd()).toBe(expected);
});
