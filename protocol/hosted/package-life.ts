import { Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { DateTime, Id, Name } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';
import { FormResponse } from './forms.ts';
import { PackageEvent } from './package-events.ts';
import { DayOrDateTime, Notify, Package, PackageParams } from './packages.ts';

/** Calls on a package after its creation: contract/packages.md §1. */

const UpdatePackage = Type.Object({
  name: Name,
  tag: Type.Optional(Type.Object({ id: Id })),
  notify: Type.Optional(Notify),
});

const PackageExpiry = Type.Object({
  expiry: Type.Optional({ ...DateTime, description: 'Required unless `unlimited_storage` is true, which leaves it out.' }),
  unlimited_storage: Type.Boolean({ default: false }),
});

const ExpiryRange = Type.Object({ expiry_start: DayOrDateTime, expiry_end: DayOrDateTime });

const TotalUpdated = Type.Object({ total_updated: Type.Integer({ minimum: 0, examples: [12] }) });

const managed = { tag: 'Packages', credentials: ['package:manage'], params: PackageParams } as const;
const bulk = {
  method: 'PUT',
  tag: 'Packages',
  credentials: teamCredentials,
  params: TeamParams,
  body: ExpiryRange,
  reply: { status: 200, body: TotalUpdated },
  errors: teamErrors,
  example: { expiry_start: '2026-10-01T00:00:00.000Z', expiry_end: '2026-10-31T23:59:59.999Z' },
} as const;

const onHold = {
  path: '/v1/teams/{team_id}/packages/{package_id}/hold',
  tag: 'Packages',
  credentials: teamCredentials,
  params: Type.Object({ team_id: Id, package_id: Id }),
  reply: { status: 204 },
} as const;

export const packageLifeRoutes = defineRoutes({
  holdPackage: {
    ...onHold,
    method: 'PUT',
    summary: 'Puts a finalized package on hold: nobody and no expiry ends it until the hold is lifted. By owners and admins.',
    body: Type.Object({ reason: Type.String({ minLength: 1, maxLength: limits.nameLength, description: 'Seen by the Team alone.' }) }),
    errors: [...teamErrors, 'state_conflict'],
    example: { reason: 'Dispute with the insurer, 2026-117' },
  },
  liftPackageHold: {
    ...onHold,
    method: 'DELETE',
    summary: "Lifts a package's hold. One whose expiry has passed meanwhile ends within a minute.",
    errors: teamErrors,
  },
  updatePackage: {
    ...managed,
    method: 'PUT',
    path: '/v1/packages/{package_id}',
    summary: 'Renames a package; tags it where a tag is given, and changes what its sender is told of where that is given.',
    body: UpdatePackage,
    reply: { status: 200, body: Package },
    errors: ['not_found', 'not_allowed', 'team_inactive', 'package_expired'],
    example: { name: 'Dailies, day 12 (final)' },
  },
  setPackageExpiry: {
    ...managed,
    method: 'PUT',
    path: '/v1/packages/{package_id}/expiry',
    summary: 'Sets when a package expires, or that it never does.',
    body: PackageExpiry,
    reply: { status: 200, body: Package },
    errors: ['not_found', 'not_allowed', 'team_inactive', 'package_expired'],
    example: { expiry: '2026-12-24T00:00:00.000Z' },
  },
  deletePackage: {
    ...managed,
    method: 'DELETE',
    path: '/v1/packages/{package_id}',
    summary: 'Expires a package now, uploaded or not: its files and form response are deleted, its record stays.',
    reply: { status: 204 },
    errors: ['not_found', 'not_allowed', 'team_inactive', 'state_conflict'],
  },
  archivePackage: {
    ...managed,
    method: 'PUT',
    path: '/v1/packages/{package_id}/archive',
    summary: 'Moves an expired package to the archive.',
    reply: { status: 204 },
    errors: ['not_found', 'not_allowed', 'team_inactive', 'state_conflict'],
  },
  unarchivePackage: {
    ...managed,
    method: 'PUT',
    path: '/v1/packages/{package_id}/unarchive',
    summary: 'Takes a package out of the archive. It is expired again.',
    reply: { status: 204 },
    errors: ['not_found', 'not_allowed', 'team_inactive', 'state_conflict'],
  },
  archiveTeamPackages: {
    ...bulk,
    path: '/v1/teams/{team_id}/archive',
    summary: "Archives the Team's expired packages whose expiry lies in a range.",
  },
  unarchiveTeamPackages: {
    ...bulk,
    path: '/v1/teams/{team_id}/unarchive',
    summary: "Takes the Team's packages whose expiry lies in a range out of the archive.",
  },
  archiveInboxPackages: {
    ...bulk,
    path: '/v1/teams/{team_id}/inbox/archive',
    summary: 'Archives expired packages received through Portals whose expiry lies in a range.',
  },
  unarchiveInboxPackages: {
    ...bulk,
    path: '/v1/teams/{team_id}/inbox/unarchive',
    summary: 'Takes packages received through Portals whose expiry lies in a range out of the archive.',
  },
  getPackageMetadata: {
    ...managed,
    method: 'GET',
    path: '/v1/packages/{package_id}/metadata',
    summary: 'Reads the form response that came with a Portal package.',
    reply: { status: 200, body: FormResponse },
    errors: ['not_found', 'package_expired'],
  },
  streamPackageEvents: {
    method: 'GET',
    path: '/v1/packages/{package_id}/events',
    summary: "Server-sent events: the package's state, then the upload's progress file by file, until it expires.",
    tag: 'Packages',
    credentials: ['package:write', 'package:read', 'package:manage'],
    params: PackageParams,
    reply: { status: 200, stream: 'text/event-stream', messages: PackageEvent },
    errors: ['not_found', 'not_allowed', 'state_conflict', 'link_inactive', 'link_expired', 'package_expired'],
  },
});
