import { expect, it } from 'vitest';
import type { Handover } from '#protocol/hosted/handovers.ts';
import { createAppProgress } from '#web/sending/handover/app-progress.ts';
import type { Item } from '#web/sending/item.ts';

const open = {
  state: 'open',
  upload: { fileId: 'f1', uploadId: 'u1', chunkSize: 10, chunkChecksum: 'blake3' },
  chunks: new Map(),
} as const;
const item = (fields: Partial<Item>): Item => ({
  index: 0,
  kind: 'file',
  path: '',
  name: 'clip.mov',
  size: 100,
  lastModified: 0,
  root: null,
  file: null,
  state: 'waiting',
  sent: 0,
  fault: null,
  facts: { state: 'none' },
  ...fields,
});
const seen = (finalized: number, files: number): Handover => ({
  id: 'h1',
  state: 'taken',
  expires_at: '2026-11-20T18:04:11.000Z',
  package_state: 'new',
  files: { total: 1, finalized: files },
  bytes: { total: 100, finalized },
});

/** The storage has these chunks of the open upload; null: it is open no more. */
function follow(items: readonly Item[]) {
  let chunks: readonly number[] | null = [];
  let at = 0;
  const asked: string[] = [];
  const progress = createAppProgress({
    baseUrl: 'https://share.example.com',
    token: 't',
    packageId: 'p1',
    items,
    now: () => at,
    fetcher: async ({ url }) => {
      asked.push(url);
      const headers = { 'content-type': 'application/json' };
      if (!chunks) return { status: 409, headers, text: JSON.stringify({ error: 'state_conflict', code: 0, message: '' }) };
      const listed = chunks.map((size, index) => ({ part_number: String(index + 1), etag: 'e', size }));
      return { status: 200, headers, text: JSON.stringify(listed) };
    },
  });
  return {
    asked,
    async note(sizes: readonly number[] | null, milliseconds: number, answer: Handover) {
      chunks = sizes;
      at = milliseconds;
      return progress.note(answer);
    },
  };
}

it('counts the confirmed chunks of what the page had open, with speed and time', async () => {
  const { note, asked } = follow([item({ facts: open, sent: 20, size: 100_000 }), item({ name: 'b', size: 20_000 })]);
  expect(await note([10_000, 10_000], 0, seen(0, 0))).toMatchObject({ bytes: 20_000, totalBytes: 120_000, files: 0, totalFiles: 2 });
  expect(await note([10_000, 10_000, 40_000], 4_000, seen(0, 0))).toMatchObject({
    bytes: 60_000,
    bytesPerSecond: 10_000,
    secondsLeft: 6,
  });
  expect(asked[0]).toBe('https://share.example.com/v1/packages/p1/files/f1/chunks?upload_id=u1');
});

it('never goes backwards: not while a file is finalized, nor below what the page had sent', async () => {
  const { note } = follow([item({ facts: open, sent: 30 }), item({ state: 'left_out', size: 500 })]);
  expect(await note([], 0, seen(0, 0))).toMatchObject({ bytes: 30, totalBytes: 100 });
  expect(await note([50, 40], 1_000, seen(0, 0))).toMatchObject({ bytes: 90 });
  expect(await note(null, 2_000, seen(0, 0))).toMatchObject({ bytes: 90, files: 0 });
  expect(await note(null, 3_000, seen(100, 1))).toMatchObject({ bytes: 100, files: 1, secondsLeft: 0 });
});
