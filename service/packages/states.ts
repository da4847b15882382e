import type { ErrorName } from '#protocol/errors.ts';
import type { PackageState } from '#protocol/hosted/packages.ts';

/** What can happen to a package (interface §3 "Package"). */
export type PackageEvent = 'finalize' | 'expire' | 'archive' | 'unarchive';

export type Transition =
  | { readonly outcome: 'moves'; readonly to: PackageState }
  /** It is there already: the call was made again, and means the same. */
  | { readonly outcome: 'stays' }
  | { readonly outcome: 'refused'; readonly error: ErrorName; readonly detail: string };

const moves = (to: PackageState): Transition => ({ outcome: 'moves', to });
const stays: Transition = { outcome: 'stays' };
const gone: Transition = { outcome: 'refused', error: 'package_expired', detail: '' };
const refused = (detail: string): Transition => ({ outcome: 'refused', error: 'state_conflict', detail });

const notFinalized = 'This package is not finalized yet.';
const notExpired = 'Only an expired package can be archived.';

const table: Readonly<Record<PackageState, Readonly<Record<PackageEvent, Transition>>>> = {
  new: { finalize: moves('finalized'), expire: refused(notFinalized), archive: refused(notExpired), unarchive: refused(notExpired) },
  finalized: { finalize: stays, expire: moves('expired'), archive: refused(notExpired), unarchive: refused(notExpired) },
  expired: { finalize: gone, expire: stays, archive: moves('archived'), unarchive: stays },
  archived: { finalize: gone, expire: stays, archive: stays, unarchive: moves('expired') },
};

/** What an event does to a package in a state. Whether its files allow it is the caller's to know. */
export function transition(state: PackageState, event: PackageEvent): Transition {
  return table[state][event];
}
