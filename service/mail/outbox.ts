import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { oneLine } from './clean.ts';
import type { MailTransport } from './transport.ts';

/** Maximum number of messages in the folder; the oldest are deleted first. */
const maxOutboxMessages = 1_000;

/**
 * A folder for messages if no mail server is configured: `<message id>.eml`, readable only by the service's user,
 * since messages contain links' secrets. Ids sort by time, so the file names do too.
 */
export function openOutbox(folder: string, keep = maxOutboxMessages): MailTransport {
  return {
    displayUrl: folder,
    async deliver({ id, content }) {
      const name = `${id}.eml`;
      const unfinished = join(folder, `.${id}.${randomUUID()}.part`);
      try {
        makeDirs(folder, 0o700);
        const file = await open(unfinished, 'wx', 0o600);
        try {
          await file.writeFile(content);
        } finally {
          await file.close();
        }
        // Renamed only when complete; the same message again replaces its own file.
        await rename(unfinished, join(folder, name));
        await deleteOldest(folder, keep);
        return { outcome: 'sent' };
      } catch (error) {
        await rm(unfinished, { force: true }).catch(() => undefined);
        return { outcome: 'delayed', reason: `The outbox folder cannot be written: ${oneLine((error as Error).message)}` };
      }
    },
  };
}

async function deleteOldest(folder: string, keep: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
  for (const name of names.slice(0, Math.max(0, names.length - keep))) await rm(join(folder, name), { force: true });
}
