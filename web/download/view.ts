import type { File } from '#protocol/hosted/files.ts';
import type { LinkInfo } from '#protocol/hosted/links.ts';
import { unsetDateTime } from '#protocol/limits.ts';
import { ServiceFailure } from './api.ts';

export { sizeWords } from '../common/quantities.ts';

/** What the page shows. */
export type View =
  | { readonly state: 'opening' }
  | { readonly state: 'password'; readonly problem: string }
  /** The link will not open; asking again may help or not. */
  | { readonly state: 'closed'; readonly title: string; readonly text: string; readonly retry: boolean }
  | { readonly state: 'ready'; readonly link: LinkInfo; readonly files: readonly File[]; readonly zips: readonly File[] };

export const incompleteLink: View = {
  state: 'closed',
  title: 'This link is not whole',
  text: 'Part of it is missing, as happens when an e-mail breaks a long line. Copy all of it and open it again.',
  retry: false,
};

/** The view for what went wrong while opening. `password` is what had been tried; empty for none. */
export function viewOfFailure(error: unknown, password: string): View {
  const closed = (title: string, text: string, retry = false): View => ({ state: 'closed', title, text, retry });
  if (!(error instanceof ServiceFailure)) return closed('This did not work', error instanceof Error ? error.message : String(error), true);
  switch (error.error) {
    case 'link_password_wrong':
      return { state: 'password', problem: password ? 'This password is wrong. Capitals and small letters differ.' : '' };
    case 'not_found':
    case 'credential_invalid':
    case 'credential_missing':
      return closed(
        'This link does not work',
        'It may be mistyped or cut short. Copy all of it and open it again, or ask its sender for a new one.',
      );
    case 'link_expired':
      return closed('This link has expired', 'Ask its sender for a new one.');
    case 'package_expired':
      return closed(
        'These files are no longer kept',
        'Their storage time is over and they have been deleted. Ask their sender to send them again.',
      );
    case 'link_inactive':
      return closed('This link has been disabled', 'Its sender has turned it off. Ask them for a new one.');
    case 'link_used_up':
      return closed('This link has been used up', 'It was opened as often as its sender allowed. Ask them for a new one.');
    case 'rate_limited':
      return closed('Too many tries', error.message, true);
    case 'unreachable':
      return closed('The service does not answer', 'Check your connection and try again.', true);
    default:
      return closed('This did not work', error.message, true);
  }
}

/** Files in the order of their paths, the zips apart. Folders show by the files in them. */
export function viewOfPackage(link: LinkInfo, records: readonly File[]): View {
  const order = new Intl.Collator(undefined, { numeric: true });
  const files = records.filter((one) => one.kind === 'file').sort((a, b) => order.compare(pathOf(a), pathOf(b)));
  return { state: 'ready', link, files, zips: records.filter((one) => one.kind === 'zip_windows' || one.kind === 'zip_mac') };
}

export function pathOf(file: File): string {
  return file.path ? `${file.path}/${file.name}` : file.name;
}

/** The zip for the visitor's system, if the package has one. */
export function zipFor(zips: readonly File[], platform: string): File | null {
  const wanted = /mac|iphone|ipad/i.test(platform) ? 'zip_mac' : 'zip_windows';
  return zips.find((zip) => zip.kind === wanted) ?? zips[0] ?? null;
}

/** `Available until 1 December 2026`; empty for a link without an end. */
export function expiryWords(expiry: string, locale?: string): string {
  if (expiry === unsetDateTime) return '';
  return `Available until ${new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(new Date(expiry))}`;
}
