import { expect, it } from 'vitest';
import { openLocalObjects } from '#storage/local/open-objects.ts';
import { startTestStorage } from '#test/support/storage/local-storage.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

it('beside the process that serves them: their addresses have the trace of the call, and are valid there', async () => {
  const folder = await tempFolder();
  const running = await startTestStorage({ root: folder.path });
  try {
    let trace: string | null = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const other = openLocalObjects({ root: running.root, secret: Buffer.alloc(32, 7), publicUrl: running.url, trace: () => trace });
    const key = 'a/0197f3c1-0000-7000-8000-000000000001';
    const uploadId = await other.begin(key);
    const part = { partNumber: 1, size: 4, maxSize: 4 };
    const until = new Date(Date.now() + 60_000);
    const [traced] = await other.presignParts(key, uploadId, [part], until);
    expect(traced!.url).toContain(`?traceparent=${trace}&`);
    expect((await fetch(traced!.url, { method: 'PUT', body: 'text' })).status).toBe(200);
    trace = null;
    expect((await other.presignParts(key, uploadId, [part], until))[0]!.url).not.toContain('traceparent');
  } finally {
    await running.close();
    await folder.remove();
  }
});
