/** One shipped package, as the page's build records it (renderer/build/licences.ts). */
export interface Licence {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression, as in the package's manifest. */
  readonly licence: string;
  /** The full text; empty where the package contains none. */
  readonly text: string;
}

/** The file next to index.html. */
export const licencesFile = 'licences.json';
