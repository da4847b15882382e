import type { PortalRestrictions } from '#protocol/portal-restrictions.ts';
import type { Format } from '../format.ts';
import type { FormMessages } from './form-fields.tsx';

/** What a Portal takes, a sentence each; none where it takes everything. */
export function restrictionTexts(
  { fileTypes, maxFileSize, maxFileCount, maxPackageSize }: PortalRestrictions,
  messages: FormMessages['restrictions'],
  { tag, size, files }: Pick<Format<unknown>, 'tag' | 'size' | 'files'>,
): string[] {
  return [
    fileTypes?.length ? messages.types(new Intl.ListFormat(tag, { type: 'conjunction' }).format(fileTypes)) : '',
    maxFileSize > 0 ? messages.fileSize(size(maxFileSize)) : '',
    maxFileCount > 0 ? messages.fileCount(files(maxFileCount)) : '',
    maxPackageSize > 0 ? messages.packageSize(size(maxPackageSize)) : '',
  ].filter((text) => text !== '');
}
