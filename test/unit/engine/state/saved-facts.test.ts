import { describe, expect, test } from 'vitest';
import { factsIn, savedFacts } from '#engine/state/saved-facts.ts';
import type { RemotePackage, TransferRecord, UploadRecord } from '#engine/transfer/record.ts';

/** As the first versions of the agent wrote it, and as all of them read it. */
const saved = { scanned: true, packageId: 'p', packageFinalized: false, cleanUpDue: false };

const uploadWith = (facts: UploadRecord['facts']) => ({ kind: 'upload', facts }) as TransferRecord;
const packageIn = (flags: object): RemotePackage => (factsIn('upload', { ...saved, ...flags }) as UploadRecord['facts']).package;

const states: [RemotePackage, object][] = [
  [{ state: 'none' }, { packageId: '' }],
  [{ state: 'open', id: 'p' }, {}],
  [{ state: 'closing', id: 'p' }, { closing: true }],
  [{ state: 'finalized', id: 'p' }, { packageFinalized: true }],
  [{ state: 'to_delete', id: 'p' }, { cleanUpDue: true }],
];

describe('the package of an upload', () => {
  test.each(states)('%j is saved as older versions read it, and read again', (one, flags) => {
    const facts = savedFacts(uploadWith({ scanned: true, package: one }));
    expect(facts).toEqual({ ...saved, ...flags });
    expect(packageIn(flags)).toEqual(one);
  });

  test.each([
    ['a finalized one that was being closed', { closing: true, packageFinalized: true }, 'finalized'],
    ['one to be deleted that was being closed', { closing: true, cleanUpDue: true }, 'to_delete'],
    ['one that was tried again', { closing: false }, 'open'],
    ['none, whatever else was said of it', { packageId: '', closing: true, cleanUpDue: true }, 'none'],
    ['none, where a version did not know of any', { packageId: undefined, packageFinalized: undefined, cleanUpDue: undefined }, 'none'],
  ])('of an older version: %s', (_, flags, state) => {
    expect(packageIn(flags).state).toBe(state);
  });
});

test('all other facts stay as they are, in uploads and downloads', () => {
  const others = { lastScanned: 'a/b', rootsScanned: 2, finalizeAsked: true, packagesLost: 1, packagesUnknown: 1, receipt: 'thumb' };
  const upload = factsIn('upload', { ...saved, ...others, fenced: true });
  expect(upload).toEqual({ scanned: true, package: { state: 'open', id: 'p' }, ...others, restricted: true });
  expect(savedFacts({ kind: 'upload', facts: upload } as TransferRecord)).toEqual({ ...saved, ...others, fenced: true });

  const download = { packageId: 'p', root: '/x', planned: true, receipt: '' };
  expect(factsIn('download', download)).toEqual(download);
  expect(factsIn('download', { ...download, fenced: true })).toEqual({ ...download, restricted: true });
  const record = { kind: 'download', facts: { ...download, restricted: true } } as TransferRecord;
  expect(savedFacts(record)).toEqual({ ...download, fenced: true });
});
