import type { Item } from './item.ts';
import type { StoredPackage } from './store.ts';

/** A package that is noted, with what is to be sent of it. */
export interface Begun {
  readonly stored: StoredPackage;
  readonly items: readonly Item[];
  /** Lets other tabs have it. */
  readonly release: () => void;
}

/** The name of what only one tab may have of a package at a time. */
export const lockOf = (packageId: string): string => `longshore-package-${packageId}`;
