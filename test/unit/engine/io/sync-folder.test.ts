import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { syncFolder } from '#engine/io/sync-folder.ts';

describe('flushing a folder', () => {
  it('is done where the system can', async () => {
    await expect(syncFolder(tmpdir())).resolves.toBeUndefined();
  });

  it.runIf(process.platform === 'linux')('is no failure where it cannot: this file system has no such thing', async () => {
    await expect(syncFolder('/proc/self/task')).resolves.toBeUndefined();
  });

  it('says what the system says of a folder that is gone', async () => {
    await expect(syncFolder(join(tmpdir(), 'longshore-never-there'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
