import { BackupError } from './backup-error.ts';
import { inSnapshot, type Manifest, names } from './manifest.ts';
import type { FileStore } from './ports.ts';
import { openSecret } from './seal-secret.ts';
import { wholeOf } from './streams.ts';
import { problemOf } from './verify.ts';

/** The service's secret, as a backup has it; null for one without. Errors: `BackupError`, also for another passphrase. */
export async function sealedKeyOf(store: FileStore, manifest: Manifest, passphrase: string): Promise<Buffer | null> {
  if (!manifest.secret) return null;
  const file = inSnapshot(manifest.id, names.secret);
  if (await problemOf(store, file, manifest.secret, () => undefined))
    throw new BackupError(
      'damaged',
      `${store.name}/${file} is damaged. Use an earlier backup (--snapshot), or a copy of secret.key that you have elsewhere.`,
    );
  return openSecret(await wholeOf(store.read(file)), passphrase);
}
