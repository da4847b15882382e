import { spawnSync } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { startTestService } from '#test/support/service/start-service.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Mounting needs root, and a system that lets it. */
const canMount = await (async () => {
  const { path, remove } = await tempFolder();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path], { stdio: 'ignore' }).status === 0;
  if (mounted) spawnSync('umount', [path], { stdio: 'ignore' });
  await remove();
  return mounted;
})();

describe.skipIf(!canMount)(`the disk of the private PostgreSQL${canMount ? '' : ' (left out: this user may not mount one)'}`, () => {
  it('that is full is named to callers and at /healthz, and work goes on by itself once there is room', async () => {
    const { path, remove } = await tempFolder();
    const disk = join(path, 'data', 'postgres');
    await mkdir(disk, { recursive: true });
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=140m,mode=0755', 'tmpfs', disk]).status).toBe(0);
    try {
      const at = await startTestService({ dataDir: join(path, 'data'), processes: 1, logLevel: 'silent' });
      // Text that does not compress fills pages, and the journal with them.
      const create = (bytes: number) =>
        at.call<{ code: number }>('POST', `/v1/teams/${at.teamId}/packages`, {
          headers: { 'x-api-key': at.apiKey },
          body: { name: 'Dailies', description: Buffer.alloc(bytes, 'lorem ').toString(), recipients: [] },
        });
      expect((await create(10)).status).toBe(201);
      spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'others')}`, 'bs=64k'], { stdio: 'ignore' });
      const answers = await vi.waitFor(
        async () => {
          const all = await Promise.all(Array.from({ length: 50 }, () => create(8_000)));
          expect(all.some(({ status }) => status !== 201)).toBe(true);
          return all.filter(({ status }) => status !== 201);
        },
        { timeout: 60_000, interval: 1 },
      );
      for (const { status, headers } of answers) {
        expect(status).toBe(503);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
      await vi.waitFor(
        async () => {
          expect(await create(8_000)).toMatchObject({ status: 503, body: { code: 327690 } });
        },
        { timeout: 60_000, interval: 50 },
      );
      expect(await at.call('GET', '/healthz')).toMatchObject({
        status: 200,
        body: { status: 'degraded', problems: [{ error: 'service_database_full', code: 327690 }] },
      });
      await rm(join(disk, 'others'));
      await vi.waitFor(async () => expect((await create(8_000)).status).toBe(201), { timeout: 90_000, interval: 100 });
      await at.close();
    } finally {
      spawnSync('umount', ['-l', disk]);
      await remove();
    }
  });
});
