import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Backups of small services, one of each released version (test/keep-release.ts). */
export const releasesFolder = fileURLToPath(new URL('../../corpora/releases', import.meta.url));

/** Of no use to anybody: what it seals is a service of nobody's. */
export const keptPassphrase = 'a released schema';

export const keptReleases = (): readonly string[] => readdirSync(releasesFolder).filter((name) => name.endsWith('.tar.gz'));
