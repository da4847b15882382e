import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { longshoreHere } from '#test/support/engine/command-line.ts';
import { keptPassphrase, keptReleases, releasesFolder } from '#test/support/service/kept-releases.ts';
import { emptyTestDatabase } from '#test/support/service/postgres.ts';
import { newSender, openLink } from '#test/support/service/sender.ts';
import { packagesNamed } from '#test/support/service/sent-packages.ts';
import { startTestService } from '#test/support/service/start-service.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** The service of now on the data of each version that was released (RELEASING.md): restored, migrated, and gone on with. */

it.each(keptReleases())('%s: all is there, links stand, and it is gone on with', async (name) => {
  const folder = await tempFolder();
  const database = await emptyTestDatabase();
  try {
    const backup = join(folder.path, 'backup');
    const data = join(folder.path, 'data');
    for (const path of [backup, data]) await mkdir(path, { mode: 0o711 });
    await promisify(execFile)('tar', ['--extract', '--gzip', '--file', join(releasesFolder, name), '-C', backup]);
    const here = ['--data-dir', data, '--database-url', database.url];
    const restored = await longshoreHere(['admin', 'restore', backup, ...here], { env: { LONGSHORE_BACKUP_PASSPHRASE: keptPassphrase } });
    expect([restored.code, restored.stderr.match(/longshore: .*/)]).toEqual([0, null]);

    const t = await startTestService({ dataDir: join(data, 'service'), databaseUrl: database.url, processes: 1 });
    try {
      const { names, states, files } = await packagesNamed(t, 'Kept');
      expect([names, states]).toEqual([
        ['Kept dailies', 'Kept, not finalized'],
        ['finalized', 'new'],
      ]);
      const paths = files.map(({ path }) => path).sort();
      expect(paths).toEqual(['day 1/a/alone.bin', 'empty.bin', 'first.bin', 'many/b.txt', 'many/c.txt', 'many/ä.txt']);
      const checked = await longshoreHere(['admin', 'check', '--deep', ...here]);
      expect([checked.code, checked.stderr.match(/longshore: .*/)]).toEqual([0, null]);

      const { db } = t.service.services;
      const link = await db.selectFrom('links').select(['id', 'secret']).executeTakeFirstOrThrow();
      expect((await openLink(t, { id: link.id, download_secret: link.secret })).status).toBe(200);
      const sender = await newSender(t, { name: 'Of now' });
      await sender.send('', 'new.bin', Buffer.from('new'));
      expect((await sender.finalize()).status).toBe(204);
    } finally {
      await t.stop();
    }
  } finally {
    await database.close();
    await folder.remove();
  }
});
