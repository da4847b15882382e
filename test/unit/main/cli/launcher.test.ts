import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** The program as it is linked into a search path, where any Node may meet it. */

const launcher = fileURLToPath(new URL('../../../../main/cli/longshore.js', import.meta.url));
const run = promisify(execFile);

it('runs Longshore', async () => {
  const { stdout, stderr } = await run(process.execPath, [launcher, '--version']);
  expect([/^\d+\.\d+\.\d+\n$/.test(stdout), stderr]).toEqual([true, '']);
});

it('says in one sentence that an older Node is too old', async () => {
  const older = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.20.2"})';
  const ended = await run(process.execPath, ['--import', older, launcher, '--version']).catch((error: unknown) => error);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect((ended as { stderr: string }).stderr).toMatch(/^longshore: Longshore needs Node 24 or newer, and this is 20\.20\.2\. .+\n$/);
});
