import { Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Email, Id, Literals, Name, Page, Text } from '../schema.ts';
import { pageQuery, teamCredentials, teamErrors } from './common.ts';
import { ChunkSize, DayOrDateTime, IdList, Package, packageSorts } from './packages.ts';
import { PortalParams } from './portals.ts';

/** Packages that are received through a Portal: contract/portals.md §6, contract/packages.md §5. */

const CreatePortalPackage = Type.Object({
  name: Name,
  description: Text,
  sender: Email,
  form_data_id: Type.Optional({ ...Id, description: 'The id of a form response. Required if the Portal has an enabled form.' }),
  chunk_size: Type.Optional(ChunkSize),
});

const PortalPackageQuery = Type.Object({
  ...pageQuery(1),
  sort: Type.Optional(Literals(packageSorts)),
  tags: Type.Optional(IdList),
  sender: Type.Optional(Type.String({ maxLength: limits.emailLength })),
  created_at_start: Type.Optional(DayOrDateTime),
  created_at_end: Type.Optional(DayOrDateTime),
  finalized_at_start: Type.Optional(DayOrDateTime),
  finalized_at_end: Type.Optional(DayOrDateTime),
  expiry_start: Type.Optional(DayOrDateTime),
  expiry_end: Type.Optional(DayOrDateTime),
  extra_storage: Type.Optional(Type.Boolean()),
});

export const portalPackageRoutes = defineRoutes({
  createPortalPackage: {
    method: 'POST',
    path: '/v1/portals/{portal_id}/packages',
    summary: 'Makes an empty package to send through a Portal. Its `access_token` adds files and finalizes.',
    tag: 'Portals',
    credentials: ['access_code', 'none'],
    params: PortalParams,
    body: CreatePortalPackage,
    reply: { status: 201, body: Package },
    errors: [
      'not_found',
      'access_code_wrong',
      'portal_closed',
      'form_response_incomplete',
      'over_limit',
      'state_conflict',
      'team_inactive',
    ],
    example: { name: 'Day 12', description: 'A and B camera', sender: 'mia@example.com' },
  },
  listPortalPackages: {
    method: 'GET',
    path: '/v1.1/portals/{portal_id}/packages',
    summary: 'Lists the packages received through a Portal, filtered, sorted and paged.',
    tag: 'Portals',
    credentials: teamCredentials,
    params: PortalParams,
    query: PortalPackageQuery,
    reply: { status: 200, body: Page(Package) },
    errors: teamErrors,
  },
});
