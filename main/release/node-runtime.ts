import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { npm, run } from './run.ts';
import { nodeVersion, type Target } from './targets.ts';

/**
 * Puts Node's binary and its licences into a folder.
 *
 * @throws Error when the package cannot be fetched, or is another than the one that was named
 */
export async function bringNode(target: Target, folder: string): Promise<void> {
  makeDirs(folder);
  const temporary = await mkdtemp(join(folder, '.fetched-'));
  try {
    const { name, integrity } = target.node;
    await npm(['pack', `${name}@${nodeVersion}`, '--prefer-offline', '--pack-destination', temporary], { cwd: temporary });
    const packed = join(temporary, `${name}-${nodeVersion}.tgz`);
    const found = `sha512-${createHash('sha512')
      .update(await readFile(packed))
      .digest('base64')}`;
    if (found !== integrity) throw new Error(`${name}@${nodeVersion} is another package than the one named in main/release/targets.ts.`);
    await run('tar', ['-xzf', packed, '-C', temporary, 'package/bin/node', 'package/LICENSE']);
    await rename(join(temporary, 'package/bin/node'), join(folder, 'node'));
    await rename(join(temporary, 'package/LICENSE'), join(folder, 'LICENSE'));
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
