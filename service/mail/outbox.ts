import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { oneLine } from './clean.ts';
import type { MailTransport } from './transport.ts';

/** How many messages the folder keeps; the oldest go first. */
export const outboxMessages = 1_000;

/**
 * A folder for messages where no mail server is named: `<message id>.eml`, readable by the service's user alone,
 * since links' secrets stand in them. Ids sort by time, so the names do.
 */
export function openOutbox(folder: string, keep = outboxMessages): MailTransport {
  return {
    place: folder,
    async deliver({ id, content }) {
      const name = `${id}.eml`;
      const unfinished = join(folder, `.${id}.${randomUUID()}.part`);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const file = await open(unfinished, 'wx', 0o600);
        try {
          await file.writeFile(content);
        } finally {
          await file.close();
        }
        // Under its name only when whole; the same message again takes its own place.
        await rename(unfinished, join(folder, name));
        await forgetOldest(folder, keep);
        return { outcome: 'sent' };
      } catch (error) {
        await rm(unfinished, { force: true }).catch(() => undefined);
        return { outcome: 'delayed', reason: `The outbox folder cannot be written: ${oneLine((error as Error).message)}` };
      }
    },
  };
}

async function forgetOldest(folder: string, keep: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
  for (const name of names.slice(0, Math.max(0, names.length - keep))) await rm(join(folder, name), { force: true });
}
