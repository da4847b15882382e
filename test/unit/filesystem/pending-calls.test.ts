import { execFileSync } from 'node:child_process';
import { closeSync, open, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasPendingCalls } from '#filesystem/pending-calls.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

test.skipIf(process.platform === 'win32')('a call that its disk does not answer is pending until it does', async () => {
  const own = await tempFolder();
  onTestFinished(own.remove);
  const pipe = join(own.path, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const quiet = () => eventually('no call is left', async () => !hasPendingCalls());
  await quiet();
  const answered = new Promise<number>((resolve) => {
    // Waits for somebody who writes.
    open(pipe, 'r', (_error, descriptor) => resolve(descriptor));
  });
  expect(hasPendingCalls()).toBe(true);
  const writer = openSync(pipe, 'r+');
  closeSync(await answered);
  closeSync(writer);
  await quiet();
});
