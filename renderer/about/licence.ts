/** One package that is shipped, as the page's build writes it down (renderer/build/licences.ts). */
export interface Licence {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression, as the package says it. */
  readonly licence: string;
  /** Whole; empty where the package holds none. */
  readonly text: string;
}

/** Beside index.html. */
export const licencesFile = 'licences.json';
