import { expect, it } from 'vitest';
import type { Handover } from '#protocol/hosted/handovers.ts';
import { createAppProgress } from '#web/sending/handover/app-progress.ts';
import type { Item } from '#web/sending/item.ts';

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

function follow(items: readonly Item[]) {
  let at = 0;
  const progress = createAppProgress({ items, now: () => at });
  return (confirmed: number | null, milliseconds: number, finalized = 0, files = 0) => {
    at = milliseconds;
    return progress.note({
      id: 'h1',
      state: 'taken',
      expires_at: '2026-11-20T18:04:11.000Z',
      package_state: 'new',
      files: { total: 1, finalized: files },
      bytes: { total: 100, finalized, ...(confirmed === null ? {} : { confirmed }) },
    } satisfies Handover);
  };
}

it('counts what the storage has confirmed, with speed and time', () => {
  const note = follow([item({ sent: 20, size: 100_000 }), item({ name: 'b', size: 20_000 })]);
  expect(note(20_000, 0)).toMatchObject({ bytes: 20_000, totalBytes: 120_000, files: 0, totalFiles: 2 });
  expect(note(60_000, 4_000)).toMatchObject({ bytes: 60_000, bytesPerSecond: 10_000, secondsLeft: 6 });
});

it('begins with what the storage has, and not with what the page had under way', () => {
  const note = follow([item({ sent: 30 })]);
  expect(note(20, 0)).toMatchObject({ bytes: 20 });
  // A service of an earlier version does not say.
  expect(follow([item({ sent: 30 })])(null, 0)).toMatchObject({ bytes: 30 });
});

it('never goes backwards while a file is finalized', () => {
  const note = follow([item({ sent: 30 }), item({ state: 'left_out', size: 500 })]);
  expect(note(30, 0)).toMatchObject({ bytes: 30, totalBytes: 100 });
  expect(note(90, 1_000)).toMatchObject({ bytes: 90 });
  expect(note(0, 2_000)).toMatchObject({ bytes: 90, files: 0 });
  expect(note(100, 3_000, 100, 1)).toMatchObject({ bytes: 100, files: 1, secondsLeft: 0 });
});

it('counts whole files where a service of an earlier version answers', () => {
  expect(follow([item({})])(null, 0, 60)).toMatchObject({ bytes: 60 });
});
