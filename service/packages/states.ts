import type { ErrorName } from '#protocol/errors.ts';
import { type PackageState, packageStates } from '#protocol/hosted/packages.ts';

/**
 * What can happen to a package (interface §3 "Package"). `expire`: its time has come. `delete`: somebody wants it
 * gone now. `abandon`: its upload was never finished.
 */
export const packageEvents = ['finalize', 'expire', 'delete', 'abandon', 'archive', 'unarchive'] as const;
export type PackageEvent = (typeof packageEvents)[number];

export type Transition =
  | { readonly outcome: 'moves'; readonly to: PackageState }
  /** It is there already: the call was made again, and means the same. */
  | { readonly outcome: 'stays' }
  | { readonly outcome: 'refused'; readonly error: ErrorName; readonly detail: string };

const moves = (to: PackageState): Transition => ({ outcome: 'moves', to });
const stays: Transition = { outcome: 'stays' };
const gone: Transition = { outcome: 'refused', error: 'package_expired', detail: '' };
const refused = (detail: string): Transition => ({ outcome: 'refused', error: 'state_conflict', detail });

const notFinalized = refused('This package is not finalized yet.');
const isFinalized = refused('This package is finalized.');
const notExpired = refused('Only an expired package can be archived.');
const neverArchived = refused('Only an archived package can be taken out of the archive, and this one has not even expired.');

const table: Readonly<Record<PackageState, Readonly<Record<PackageEvent, Transition>>>> = {
  new: {
    finalize: moves('finalized'),
    expire: notFinalized,
    delete: moves('expired'),
    abandon: moves('expired'),
    archive: notExpired,
    unarchive: neverArchived,
  },
  finalized: {
    finalize: stays,
    expire: moves('expired'),
    delete: moves('expired'),
    abandon: isFinalized,
    archive: notExpired,
    unarchive: neverArchived,
  },
  expired: { finalize: gone, expire: stays, delete: stays, abandon: stays, archive: moves('archived'), unarchive: stays },
  archived: { finalize: gone, expire: stays, delete: stays, abandon: stays, archive: stays, unarchive: moves('expired') },
};

/** What an event does to a package in a state. Whether its files allow it is the caller's to know. */
export function transition(state: PackageState, event: PackageEvent): Transition {
  return table[state][event];
}

/** The states that an event moves a package out of, for statements that move many at once, and where to. */
export function movesOf(event: PackageEvent): { readonly from: readonly PackageState[]; readonly to: PackageState } {
  const moving = packageStates.flatMap((state) => {
    const move = transition(state, event);
    return move.outcome === 'moves' ? [{ state, to: move.to }] : [];
  });
  return { from: moving.map(({ state }) => state), to: moving[0]!.to };
}
