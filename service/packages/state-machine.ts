import type { HostedErrorName } from '#protocol/errors/hosted.ts';
import { type PackageState, packageStates } from '#protocol/hosted/packages.ts';

/**
 * The events of a package (contract/packages.md §1). `expire`: its expiry has passed. `delete`: a user deletes it.
 * `abandon`: its upload was never finished.
 */
export const packageEvents = ['finalize', 'expire', 'delete', 'abandon', 'archive', 'unarchive'] as const;
export type PackageEvent = (typeof packageEvents)[number];

type Transition =
  | { readonly outcome: 'moves'; readonly to: PackageState }
  /** The package is in that state already: the call was repeated, and has the same result. */
  | { readonly outcome: 'stays' }
  | { readonly outcome: 'refused'; readonly error: HostedErrorName; readonly detail: string };

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

/** The transition for an event in a state. The caller must check whether the package's files allow it. */
export function transition(state: PackageState, event: PackageEvent): Transition {
  return table[state][event];
}

/** The states that an event moves a package out of, and the new state, for statements that move many packages. */
export function movesOf(event: PackageEvent): { readonly from: readonly PackageState[]; readonly to: PackageState } {
  const moving = packageStates.flatMap((state) => {
    const move = transition(state, event);
    return move.outcome === 'moves' ? [{ state, to: move.to }] : [];
  });
  return { from: moving.map(({ state }) => state), to: moving[0]!.to };
}
