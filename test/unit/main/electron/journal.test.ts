import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { journal } from '#main/electron/journal.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

it('has an entry for each text, whatever line breaks are in it', async () => {
  const folder = await tempFolder();
  onTestFinished(folder.remove);
  const file = join(folder.path, 'logs', 'desktop.log');
  const write = journal(file, () => new Date('2026-11-20T08:00:00Z'));
  write('There is no file at /media/a\r\n2026-11-20T08:00:01.000Z All is well.\u001b[2J\n');
  write('Next.\n');
  expect(readFileSync(file, 'utf8')).toBe(
    '2026-11-20T08:00:00.000Z There is no file at /media/a\n  2026-11-20T08:00:01.000Z All is well.\n2026-11-20T08:00:00.000Z Next.\n',
  );
});
