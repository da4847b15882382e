import { expect, it } from 'vitest';
import type { PortalRestrictions } from '#protocol/portal-restrictions.ts';
import { en } from '#ui/form/messages/en.ts';
import { restrictionTexts } from '#ui/form/restrictions.ts';
import { createFormat } from '#ui/format.ts';

const format = createFormat({ messages: {}, tag: 'en-GB' }, (count) => `${count} files`);
const texts = (change: Partial<PortalRestrictions>) =>
  restrictionTexts({ maxPackageSize: 0, maxFileSize: 0, maxFileCount: 0, fileTypes: null, ...change }, en.restrictions, format);

it('says what a Portal takes, and nothing of what it does not restrict', () => {
  expect(texts({})).toEqual([]);
  // It takes no file at all: there is no type to name.
  expect(texts({ fileTypes: [] })).toEqual([]);
  expect(texts({ fileTypes: ['.mov', '.wav'], maxFileSize: 5e9, maxFileCount: 3, maxPackageSize: 1e12 })).toEqual([
    'Only files of the types .mov and .wav',
    'Files of at most 5 GB each',
    'At most 3 files',
    'At most 1 TB in all',
  ]);
});
