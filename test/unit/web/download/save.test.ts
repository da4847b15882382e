import { describe, expect, it, vi } from 'vitest';
import { ServiceError, TransferError } from '#client/errors.ts';
import type { HostedErrorName } from '#protocol/errors/hosted.ts';
import type { File } from '#protocol/hosted/files.ts';
import { caseVariants } from '#test/support/case-variants.ts';
import { effectOf } from '#web/download/save/faults.ts';
import { folderNameFor, planOf } from '#web/download/save/plan.ts';
import { createSink, worthSettling } from '#web/download/save/sink.ts';

const record = (whole: string, kind: File['kind'] = 'file'): File => {
  const slash = whole.lastIndexOf('/');
  return {
    id: whole,
    kind,
    name: whole.slice(slash + 1),
    path: slash < 0 ? '' : whole.slice(0, slash),
    last_modified: '2026-11-20T18:04:11.000Z',
    size: 1,
    virus_detected: false,
  };
};

describe('the plan of a package', () => {
  it('keeps folders and names, and gives a number to what would fall together', () => {
    const { targets, emptyFolders } = planOf([
      record('A001/clip.mov'),
      record('a001/CLIP.mov'),
      record('notes'),
      record('notes/day 1.txt'),
      record('é.txt'),
      record('e\u0301.txt'),
      record('stills/none', 'directory'),
      record('all.zip', 'zip_mac'),
    ]);
    expect(targets.map(({ folders, name }) => [...folders, name].join('/'))).toEqual([
      'A001/clip.mov',
      'a001/CLIP (2).mov',
      'notes (2)',
      'notes/day 1.txt',
      'é.txt',
      'e\u0301 (2).txt',
    ]);
    expect(emptyFolders).toEqual([['stills', 'none']]);
  });

  it('looks at no folder above others by itself', () => {
    const deep = Array.from({ length: 20 }, (_, index) => record(`${index}/${'A/'.repeat(1_000)}x`));
    const looks = vi.spyOn(String.prototype, 'normalize');
    const { targets } = planOf(deep);
    const times = looks.mock.calls.length;
    looks.mockRestore();
    expect(targets.map(({ folders }) => folders.length)).toEqual(deep.map(() => 1_001));
    expect(times).toBeLessThan(10 * deep.length);
  });

  it('replaces what turns the direction of text', () => {
    const { targets, emptyFolders } = planOf([
      record('a\u2067/photo\u202egnp.exe'),
      record('a_/photo_gnp.exe'),
      record('b\u200e', 'directory'),
    ]);
    expect(targets.map(({ folders, name }) => [...folders, name].join('/'))).toEqual(['a_/photo_gnp.exe', 'a_/photo_gnp (2).exe']);
    expect(emptyFolders).toEqual([['b_']]);
  });

  it.each([
    ['Day 12: picture/sound', 'Day 12_ picture_sound'],
    ['  ..Dailies.. ', 'Dailies'],
    ['...', 'package'],
    ['NUL', '_NUL'],
    ['\u202egnp.exe', '_gnp.exe'],
    ['x'.repeat(300), 'x'.repeat(120)],
  ])('%s is saved in the folder %s', (name, folder) => {
    expect(folderNameFor(name)).toBe(folder);
  });

  it('looks at each of many names that differ only in case a few times', () => {
    const records = caseVariants(2_000).map((name) => record(name));
    const looks = vi.spyOn(String.prototype, 'normalize');
    const { targets } = planOf(records);
    const times = looks.mock.calls.length;
    looks.mockRestore();
    expect(new Set(targets.map(({ name }) => name.toLowerCase())).size).toBe(records.length);
    expect(times).toBeLessThan(10 * records.length);
  });
});

describe('what a failure means', () => {
  const service = (error: HostedErrorName) => new ServiceError(error, {}, { answered: 400 });
  const disk = (name: string) => new DOMException('no', name);
  it.each([
    [service('credential_invalid'), { kind: 'halt', why: 'credential' }],
    [service('link_used_up'), { kind: 'halt', why: 'credential' }],
    [service('link_expired'), { kind: 'halt', why: 'expired' }],
    [service('link_inactive'), { kind: 'halt', why: 'expired' }],
    [service('package_expired'), { kind: 'halt', why: 'expired' }],
    [service('not_found'), { kind: 'file', fault: 'missing' }],
    [service('service_unreachable'), { kind: 'retry', seconds: null }],
    [new ServiceError('rate_limited', {}, { answered: 429, retryAfter: 7 }), { kind: 'retry', seconds: 7 }],
    [new TransferError('digest_mismatch', 'x'), { kind: 'file', fault: 'damaged' }],
    [new TransferError('object_gone', 'x'), { kind: 'file', fault: 'missing' }],
    [new TransferError('cut', 'x'), { kind: 'retry', seconds: null }],
    [new TransferError('address_refused', 'x'), { kind: 'retry', seconds: null }],
    [new TransferError('storage_refused', 'The storage refused.'), { kind: 'file', fault: 'other', message: 'The storage refused.' }],
    [disk('QuotaExceededError'), { kind: 'halt', why: 'full' }],
    [disk('NotAllowedError'), { kind: 'halt', why: 'refused' }],
    [disk('AbortError'), { kind: 'file', fault: 'blocked' }],
    [disk('NoModificationAllowedError'), { kind: 'file', fault: 'unwritable' }],
    [new TypeError('Name is not allowed.'), { kind: 'file', fault: 'name' }],
    [new Error('odd'), { kind: 'file', fault: 'other', message: 'odd' }],
  ])('%s', (error, expected) => {
    expect(effectOf(error)).toMatchObject(expected);
  });
});

/** A file as browsers write it: into a copy that takes its place when it is closed. */
function fakeFile(content: number[] = []) {
  const done: string[] = [];
  const state = { content };
  const handle = {
    async createWritable({ keepExistingData }: { keepExistingData: boolean }) {
      done.push(keepExistingData ? 'opened with what there was' : 'opened empty');
      const copy = keepExistingData ? [...state.content] : [];
      return {
        async write({ position, data }: { position: number; data: Uint8Array }) {
          data.forEach((byte, index) => {
            copy[position + index] = byte;
          });
        },
        async close() {
          done.push('closed');
          state.content = copy;
        },
        async abort() {
          done.push('aborted');
        },
      };
    },
  } as unknown as FileSystemFileHandle;
  return { handle, state, done };
}

describe('a file that is being written', () => {
  const two = (value: number) => new Uint8Array([value, value]);

  it('is opened at the first write, and has everything when it is closed', async () => {
    const { handle, state, done } = fakeFile();
    const sink = createSink(handle, 0);
    await sink.close();
    expect(done).toEqual([]);
    await Promise.all([sink.write(2, two(2)), sink.write(0, two(1))]);
    expect(state.content).toEqual([]);
    await sink.close();
    expect(state.content).toEqual([1, 1, 2, 2]);
    expect(done).toEqual(['opened empty', 'closed']);
  });

  it('is put in place when as much has come as there was, and goes on from there', async () => {
    const { handle, state, done } = fakeFile();
    const sink = createSink(handle, 0, 4);
    await sink.write(0, two(1));
    expect(await sink.settle()).toBe(false);
    await sink.write(2, two(2));
    expect(await sink.settle()).toBe(true);
    expect(state.content).toEqual([1, 1, 2, 2]);
    await sink.write(4, two(3));
    expect(await sink.settle()).toBe(false);
    await sink.abort();
    expect(state.content).toEqual([1, 1, 2, 2]);
    expect(done).toEqual(['opened empty', 'closed', 'opened with what there was', 'aborted']);
  });

  it('keeps what an earlier visit wrote', async () => {
    const { handle, state, done } = fakeFile([1, 1]);
    const sink = createSink(handle, 2);
    await sink.write(2, two(2));
    await sink.close();
    expect(state.content).toEqual([1, 1, 2, 2]);
    expect(done).toEqual(['opened with what there was', 'closed']);
  });

  it('is copied less than twice over, however large it becomes', () => {
    const GiB = 1024 ** 3;
    let [inPlace, copied] = [0, 0];
    for (let written = 0, size = 1; size <= 400; size++) {
      written += GiB;
      if (!worthSettling(inPlace, written)) continue;
      copied += inPlace;
      inPlace += written;
      written = 0;
    }
    expect(copied).toBeLessThan(400 * GiB);
    expect(inPlace).toBeGreaterThanOrEqual(200 * GiB);
  });
});
