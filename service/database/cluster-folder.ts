import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The subfolder that holds the cluster if the given folder is a mount point. */
const inMountPoint = 'data';

/** Whether PostgreSQL's files are there. */
export const isCluster = (folder: string): Promise<boolean> =>
  stat(join(folder, 'PG_VERSION')).then(
    () => true,
    () => false,
  );

/**
 * The folder of PostgreSQL's files, existing or planned. It is the given one, unless that is the mount point of
 * another disk: a mount point can be neither renamed nor replaced, and its file system may keep its own entries there
 * (`lost+found`). Then it is a subfolder, as PostgreSQL's manual advises.
 */
export async function clusterFolder(given: string): Promise<string> {
  if (await isCluster(given)) return given;
  const below = join(given, inMountPoint);
  if (await isCluster(below)) return below;
  const [own, above] = await Promise.all([stat(given).catch(() => null), stat(dirname(given)).catch(() => null)]);
  if (!own?.isDirectory()) return given;
  const names = await readdir(given).catch(() => []);
  const ofTheFileSystem = names.length > 0 && names.every((name) => name === 'lost+found' || name.startsWith(inMountPoint));
  return own.dev !== above?.dev || ofTheFileSystem ? below : given;
}
