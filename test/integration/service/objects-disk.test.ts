import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newSender, openLink } from '#test/support/service/sender.ts';
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

describe.skipIf(!canMount)(`a disk for the objects${canMount ? '' : ' (left out: this user may not mount one)'}`, () => {
  it('is taken at the first start, with what its file system keeps there, and again', async () => {
    const { path, remove } = await tempFolder();
    const dataDir = join(path, 'data');
    const disk = join(dataDir, 'objects');
    await mkdir(disk, { recursive: true });
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=50m,mode=0755', 'tmpfs', disk]).status).toBe(0);
    try {
      await mkdir(join(disk, 'lost+found'), { mode: 0o000 });
      const at = await startTestService({ dataDir, processes: 1 });
      const sender = await newSender(at, { recipients: ['a@example.com'] });
      await sender.send('', 'a.txt', Buffer.from('hello'));
      expect((await sender.finalize()).status).toBe(204);
      const [link] = await sender.links();
      await at.stop();

      const again = await startTestService({ dataDir, processes: 1 });
      const { body: opened } = await openLink(again, link!);
      const headers = { 'x-package-token': opened.package_token };
      const files = await again.call<{ id: string }[]>('GET', `/v1/packages/${opened.package_id}/files`, { headers });
      const address = `/v1/packages/${opened.package_id}/files/${files.body[0]!.id}/download`;
      const { body } = await again.call<{ url: string }>('GET', address, { headers });
      expect(await (await fetch(body.url)).text()).toBe('hello');
      await again.close();
    } finally {
      spawnSync('umount', ['-l', disk]);
      await remove();
    }
  });
});
