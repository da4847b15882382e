import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { VirusPolicy } from '#protocol/hosted/teams.ts';

/** What a Team does with packages in which a virus was found; null for any other package. A column beside `packages`. */
export const virusPolicy = sql<VirusPolicy | null>`case
  when packages.contains_virus then (select teams.virus_policy from teams where teams.id = packages.team_id)
end`.as('virusPolicy');

interface Scanned {
  readonly virusPolicy: VirusPolicy | null;
}

/** Refuses a package in quarantine: `package_quarantined`. Links refuse it by their own status (links/state-machine.ts). */
export function requireNoQuarantine({ virusPolicy: policy }: Scanned): void {
  if (policy === 'quarantine') throw new ApiError('package_quarantined');
}

export const infectedFile = (): ApiError => new ApiError('file_infected');

/** Refuses a file with a virus, or a zip with such files, where the Team blocks them: `file_infected`. */
export function requireUninfected({ virusPolicy: policy }: Scanned, isInfected: boolean): void {
  if (!isInfected || policy === null || policy === 'warn') return;
  throw infectedFile();
}
