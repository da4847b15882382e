import type { HostedErrorName } from '#protocol/errors/hosted.ts';
import type { PackageState } from '#protocol/hosted/packages.ts';
import type { VirusPolicy } from '#protocol/hosted/teams.ts';

/** The facts that decide whether a link gives access. Its secret and password are checked separately. */
export interface LinkFacts {
  readonly disabledAt: Date | null;
  /** The link's own expiry; null: expires with its package. */
  readonly linkExpiry: Date | null;
  readonly packageState: PackageState;
  /** Null: never. */
  readonly packageExpiry: Date | null;
  /** What the Team does with a virus that was found in the package; null: none was found. */
  readonly virusPolicy: VirusPolicy | null;
}

export type LinkStatus =
  | { readonly open: true }
  | { readonly open: false; readonly error: HostedErrorName; readonly details: Readonly<Record<string, string>> };

const open: LinkStatus = { open: true };
const closed = (error: HostedErrorName, details: Readonly<Record<string, string>> = {}): LinkStatus => ({ open: false, error, details });

const passed = (expiry: Date | null, now: Date): boolean => expiry !== null && expiry.getTime() <= now.getTime();

/** Whether a link gives access now. An expired package gives none, even before the expiry job has deleted its files. */
export function linkStatus(link: LinkFacts, now: Date): LinkStatus {
  if (link.disabledAt) return closed('link_inactive');
  if (link.packageState === 'new') {
    return closed('state_conflict', { detail: 'This package is still being uploaded. The link works as soon as its sender has finished.' });
  }
  if (link.packageState !== 'finalized' || passed(link.packageExpiry, now)) return closed('package_expired');
  if (link.virusPolicy === 'quarantine') return closed('package_quarantined');
  return passed(link.linkExpiry, now) ? closed('link_expired') : open;
}

/** The value of `active` in a link's record. */
export function isActive(link: Pick<LinkFacts, 'disabledAt' | 'packageState'>): boolean {
  return link.disabledAt === null && link.packageState === 'finalized';
}

/** When a link expires: its own expiry or its package's, whichever is earlier; null: never. */
export function effectiveExpiry(link: Pick<LinkFacts, 'linkExpiry' | 'packageExpiry'>): Date | null {
  const { linkExpiry, packageExpiry } = link;
  if (!linkExpiry || !packageExpiry) return linkExpiry ?? packageExpiry;
  return linkExpiry.getTime() < packageExpiry.getTime() ? linkExpiry : packageExpiry;
}
