import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';
import { Link } from './links.ts';
import { Package, TagRef } from './packages.ts';
import { Portal, PortalParams } from './portals.ts';

/** The v1.0 lists, kept for existing clients (contract/conventions.md §1). They are plain arrays. */

const { teamspace: _teamspace, tag: _tag, ...packageFields } = Package.properties;

/** A package in the v1.0 lists: with its links and its tag; its Teamspace by id only. */
export const LegacyPackage = Type.Object(
  {
    ...packageFields,
    teamspace_id: Type.String({ description: 'Empty if not attached.' }),
    tag: Type.Optional(TagRef),
    links: Type.Array(Link),
  },
  { title: 'LegacyPackage' },
);
export type LegacyPackage = Static<typeof LegacyPackage>;

/** Which states are listed. */
export const LegacyPackageQuery = Type.Object({
  expired: Type.Boolean({ default: true }),
  finalized: Type.Boolean({ default: true }),
  new: Type.Boolean({ default: false }),
  archived: Type.Boolean({ default: false }),
});
export type LegacyPackageQuery = Static<typeof LegacyPackageQuery>;

/** Limits of lists without pages: the newest packages up to this number; the list ends earlier where they have more links. */
export const legacyListing = { packages: 5_000, links: 50_000 } as const;

const common = { method: 'GET', tag: 'Legacy', credentials: teamCredentials, errors: teamErrors } as const;

export const legacyRoutes = defineRoutes({
  listTeamPackagesLegacy: {
    ...common,
    path: '/v1/teams/{team_id}/packages',
    summary: 'Lists the newest packages of a Team, at most 5,000. New integrations use the v1.1 list, which has pages.',
    params: TeamParams,
    query: LegacyPackageQuery,
    reply: { status: 200, body: Type.Array(LegacyPackage) },
  },
  listPortalPackagesLegacy: {
    ...common,
    path: '/v1/portals/{portal_id}/packages',
    summary: 'Lists the newest packages received through a Portal, at most 5,000. New integrations use the v1.1 list, which has pages.',
    params: PortalParams,
    query: LegacyPackageQuery,
    reply: { status: 200, body: Type.Array(LegacyPackage) },
  },
  listPortalsLegacy: {
    ...common,
    path: '/v1/teams/{team_id}/portals',
    summary: 'Lists the Portals of a Team. New integrations use the v1.1 list.',
    params: TeamParams,
    reply: { status: 200, body: Type.Array(Portal) },
  },
});
