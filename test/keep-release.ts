import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readVersion } from '#main/version.ts';
import { batchesOf, putWhole, resultOf } from '#test/support/service/batch-sender.ts';
import { keptPassphrase, releasesFolder } from '#test/support/service/kept-releases.ts';
import { newPortal, portalSender } from '#test/support/service/portals.ts';
import { newSender } from '#test/support/service/sender.ts';
import { startTestService } from '#test/support/service/start-service.ts';

/**
 * `node test/keep-release.ts [NAME]`: keeps a backup of a small service of this version in corpora/releases/, from which a
 * test starts the service of every later version (RELEASING.md, integration/service/released-schemas.test.ts).
 */

const project = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

async function keepRelease(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-release-'));
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o711 });
  const t = await startTestService({ dataDir: join(data, 'service'), processes: 1, privateDatabase: true });
  try {
    const sender = await newSender(t, { name: 'Kept dailies', description: 'A and B camera', recipients: ['post@example.com'] });
    await sender.send('day 1/a', 'alone.bin', randomBytes(20_000));
    await sender.send('', 'empty.bin', Buffer.alloc(0));
    const batch = batchesOf(t, sender);
    const { body } = await batch.create(['ä.txt', 'b.txt', 'c.txt'].map((file) => ({ path: 'many', name: file, size: 5 })));
    const results = body.files.map(async (one) => resultOf(one, await putWhole(one, randomBytes(5)), 5));
    await batch.finalize(await Promise.all(results));
    if ((await sender.finalize()).status !== 204) throw new Error('The package was not finalized.');
    const open = await portalSender(t, (await newPortal(t, { name: 'Rushes' })).id, { name: 'Kept, not finalized' });
    await open.send('', 'first.bin', randomBytes(100));

    const backup = join(folder, 'backup');
    await run(process.execPath, [join(project, 'main/cli/longshore.js'), 'admin', 'backup', backup, '--data-dir', data], {
      env: { ...process.env, LONGSHORE_BACKUP_PASSPHRASE: keptPassphrase },
    });
    await mkdir(releasesFolder, { recursive: true });
    const file = join(releasesFolder, `${name}.tar.gz`);
    await run('tar', ['--create', '--gzip', '--sort=name', '--owner=0', '--group=0', '--file', file, '-C', backup, '.']);
    return file;
  } finally {
    await t.close();
    await rm(folder, { recursive: true, force: true });
  }
}

process.stdout.write(`${await keepRelease(process.argv[2] ?? readVersion())}\n`);
