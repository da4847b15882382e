import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolderFlush, syncFolder } from '#engine/io/sync-folder.ts';

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

describe('flushes of one folder', () => {
  function begun() {
    const asked: { readonly path: string; readonly end: PromiseWithResolvers<void> }[] = [];
    const flush = createFolderFlush((path) => {
      const end = Promise.withResolvers<void>();
      asked.push({ path, end });
      return end.promise;
    });
    return { asked, flush, paths: () => asked.map(({ path }) => path) };
  }

  it('share the one after that which runs: it may have missed them', async () => {
    const { asked, flush, paths } = begun();
    const done: string[] = [];
    const all = ['first', 'second', 'third'].map((name) => flush('/a').then(() => done.push(name)));
    expect(paths()).toEqual(['/a']);
    asked[0]!.end.resolve();
    await all[0];
    await expect.poll(paths).toEqual(['/a', '/a']);
    expect(done).toEqual(['first']);
    asked[1]!.end.resolve();
    await Promise.all(all);
    expect([done, paths().length]).toEqual([['first', 'second', 'third'], 2]);
    flush('/a').catch(() => {});
    expect(paths().length).toBe(3);
  });

  it('do not wait for those of others', () => {
    const { flush, paths } = begun();
    void flush('/a');
    void flush('/b');
    expect(paths()).toEqual(['/a', '/b']);
  });

  it('fail for those whose own failed, and for nobody else', async () => {
    const { asked, flush } = begun();
    const first = flush('/a');
    const second = flush('/a');
    asked[0]!.end.reject(new Error('EIO'));
    await expect(first).rejects.toThrow('EIO');
    await expect.poll(() => asked.length).toBe(2);
    asked[1]!.end.resolve();
    await expect(second).resolves.toBeUndefined();
  });
});
