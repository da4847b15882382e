import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** The program as it is linked into a search path, where any Node may meet it. */

const launcher = fileURLToPath(new URL('../../../../main/cli/longshore.js', import.meta.url));
const run = promisify(execFile);

it('runs Longshore', async () => {
  const { stdout, stderr } = await run(process.execPath, [launcher, '--version']);
  expect([/^\d+\.\d+\.\d+\n$/.test(stdout), stderr]).toEqual([true, '']);
});

it('takes the types out of no module that is in the cache', async () => {
  const cache = await tempFolder();
  try {
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;
    const told = 'data:text/javascript,process.on("exit",()=>console.log(process.moduleLoadList.some((name)=>name.includes("amaro"))))';
    const strips = async (): Promise<string | undefined> => {
      const { stdout } = await run(process.execPath, ['--import', told, launcher, '--version'], {
        env: { ...env, HOME: cache.path, XDG_CACHE_HOME: cache.path },
      });
      return stdout.split('\n')[1];
    };
    expect([await strips(), await strips()]).toEqual(['true', 'false']);
  } finally {
    await cache.remove();
  }
});

it('says in one sentence that an older Node is too old', async () => {
  const older = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.20.2"})';
  const ended = await run(process.execPath, ['--import', older, launcher, '--version']).catch((error: unknown) => error);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect((ended as { stderr: string }).stderr).toMatch(/^longshore: Longshore needs Node 24 or newer, and this is 20\.20\.2\. .+\n$/);
});
