import { describe, expect, it } from 'vitest';
import { type JournalChange, manifestId } from '#service/transfers/delivery/ports.ts';
import { foldChanges } from '#service/transfers/journal-changes.ts';

const fold = (...changes: JournalChange[]) => foldChanges(changes, 'transfer');
const begun = { kind: 'begun', id: 'f', target: 'in/f', upload: { id: 1 } } as const;
const object = { id: 'in/f', etag: 'e' };
const written = { id: 'f', target: 'in/f', upload: { id: 1 }, stored: 0, object: null, message: '' };

describe('changes of a journal', () => {
  it('become one a file, in their order', () => {
    expect(fold(begun, { kind: 'complete', id: 'f', target: 'in/f', object })).toEqual({
      reset: [],
      files: [{ ...written, upload: null, object }],
      progress: [],
    });
    expect(fold(begun, { kind: 'stored', id: 'f', bytes: 5 }, { kind: 'failed', id: 'f', message: 'No.' }).files).toEqual([
      { ...written, stored: 5, message: 'No.' },
    ]);
    expect(fold({ kind: 'reset', id: 'f' }, begun)).toEqual({ reset: [], files: [written], progress: [] });
    expect(fold(begun, { kind: 'reset', id: 'f' })).toEqual({ reset: ['f'], files: [], progress: [] });
  });

  it('leave what they do not name as it is', () => {
    expect(fold({ kind: 'stored', id: 'f', bytes: 5 }, { kind: 'stored', id: 'f', bytes: 9 }).progress).toEqual([
      { id: 'f', stored: 9, message: null },
    ]);
    expect(fold({ kind: 'failed', id: 'f', message: 'No.' }).progress).toEqual([{ id: 'f', stored: null, message: 'No.' }]);
  });

  it('of the manifest are those of the row that has the id of the transfer', () => {
    expect(fold({ ...begun, id: manifestId }).files).toMatchObject([{ id: 'transfer' }]);
  });
});
