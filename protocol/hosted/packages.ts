import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { noticeKinds } from '../notices.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Email, Id, Literals, Name, Page, Secret, Text } from '../schema.ts';

/** Packages: contract/packages.md §2. */

export const packageStates = ['new', 'finalized', 'expired', 'archived'] as const;
export const PackageState = Literals(packageStates);
export type PackageState = (typeof packageStates)[number];

export const ChunkSize = Type.Integer({ minimum: limits.minChunkSize, maximum: limits.maxChunkSize, description: 'Bytes.' });

export const TagRef = Type.Object({ id: Id, name: Type.String({ examples: ['Season 2'] }) }, { title: 'TagRef' });

/** What is told by mail of a package. */
export const Notify = Type.Array(Literals(noticeKinds), {
  uniqueItems: true,
  maxItems: noticeKinds.length,
  description: 'What its sender is told of by mail.',
  examples: [['downloaded']],
});

/** Seen by the Team alone. */
export const PackageHold = Type.Object(
  { since: DateTime, reason: Type.String({ examples: ['Dispute with the insurer, 2026-117'] }) },
  {
    title: 'PackageHold',
    description:
      'While it is there nothing ends the package. Only where it is read with a credential of the Team, or the management token.',
  },
);

const Finding = Type.Object({
  kind: Literals(['virus', 'damaged', 'not_scanned'], {
    description: '`damaged`: the storage has not what was sent, so it is not given out. `not_scanned`: nothing is known of viruses in it.',
  }),
  files: Type.Integer({ minimum: 1, examples: [1] }),
  names: Type.Array(Type.String(), { description: 'The first 10 of them, with their folders.', examples: [['camera-a/A001C001.mov']] }),
});

/** What checks have found in the files of a package. */
export const PackageFindings = Type.Array(Finding, {
  description:
    'What checks have found in its files; absent where they found nothing. Only of one package that is read by its management token.',
});
export type PackageFindings = Static<typeof PackageFindings>;

export const Package = Type.Object(
  {
    id: Id,
    name: Type.String(),
    description: Type.String(),
    sender: Type.String(),
    recipients: Type.Array(Type.String()),
    size: Bytes,
    total_files: Type.Integer({ minimum: 0, examples: [3] }),
    state: { ...PackageState, examples: ['finalized'] },
    expiry: DateTime,
    custom_expiry: Type.Boolean(),
    unlimited_storage: Type.Boolean(),
    access_limit: Type.Integer({ minimum: 0 }),
    password: Type.String({ description: 'Empty if none; never the password itself: `****`.' }),
    access_token: Secret,
    contains_virus: Type.Boolean(),
    custom_metadata_id: Type.String({ examples: [''], description: 'The id of its form response; empty if there is none.' }),
    teamspace: Type.Optional(Type.Object({ id: Id, name: Type.String({ examples: ['Northlight'] }) })),
    tag: Type.Optional(TagRef),
    portal_id: Type.Optional(Id),
    portal_name: Type.Optional(Type.String({ description: 'Of the Portal that it came through.', examples: ['Camera cards'] })),
    chunk_size: Type.Integer({ minimum: 0, description: 'Bytes. `0` if not specified.', examples: [0] }),
    usage_total_bytes: Bytes,
    created_at: DateTime,
    updated_at: DateTime,
    finalized_at: Type.Optional({ ...DateTime, description: 'Absent while it is `new`.' }),
    deleted_at: Type.Optional({ ...DateTime, description: 'When somebody deleted it, before its time was over.' }),
    notify: Type.Optional(Notify),
    hold: Type.Optional(PackageHold),
    findings: Type.Optional(PackageFindings),
    verify_recipient: Type.Optional(
      Type.Boolean({ description: 'Whether its links ask their recipients for a mailed code.', examples: [false] }),
    ),
  },
  { title: 'Package' },
);
export type Package = Static<typeof Package>;

const CreateTeamPackage = Type.Object({
  name: Name,
  description: Text,
  recipients: Type.Array(Email, { maxItems: limits.recipients }),
  password: Type.Optional(Type.String({ maxLength: limits.passwordLength.max })),
  access_limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  unlimited_storage: Type.Optional(Type.Boolean()),
  chunk_size: Type.Optional(ChunkSize),
  tag: Type.Optional(Type.Object({ id: Id })),
  teamspace: Type.Optional(
    Type.Object({ id: Id }, { description: 'Its members see and manage the package, too. One that the caller sees.' }),
  ),
  notify: Type.Optional(Notify),
  verify_recipient: Type.Optional(
    Type.Boolean({
      description: 'The links of `recipients`, of which it then needs some, ask for a mailed code; left out, as the Team has chosen.',
    }),
  ),
});

const sortFields = ['name', 'created_at', 'size', 'usage_total_bytes', 'expiry', 'sender', 'status', 'teamspace_id'] as const;
export const packageSorts = [...sortFields, ...sortFields.map((field) => `-${field}` as const)] as const;

/** Comma-separated ids. */
export const IdList = Type.String({ maxLength: 8_192 });

/** A day (`2026-11-20`) or a date-time; a day as the end of a range is included. */
export const DayOrDateTime = Type.Unsafe<string>({
  anyOf: [
    { type: 'string', format: 'date' },
    { type: 'string', format: 'date-time' },
  ],
});

export const PackageListQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: limits.pageSize, default: limits.pageSize }),
  sort: Type.Optional(Literals(packageSorts)),
  status: Type.Array(PackageState, { default: ['finalized', 'expired'] }),
  name: Type.Optional(Type.String({ maxLength: limits.nameLength })),
  sender: Type.Optional(Type.String({ maxLength: limits.emailLength })),
  tags: Type.Optional(IdList),
  teamspaces: Type.Optional(IdList),
  created_at_start: Type.Optional(DayOrDateTime),
  created_at_end: Type.Optional(DayOrDateTime),
  finalized_at_start: Type.Optional(DayOrDateTime),
  finalized_at_end: Type.Optional(DayOrDateTime),
  expiry_start: Type.Optional(DayOrDateTime),
  expiry_end: Type.Optional(DayOrDateTime),
  extra_storage: Type.Optional(Type.Boolean()),
  received: Type.Optional(Type.Boolean({ description: '`true`: received through Portals; `false`: sent by the Team.' })),
  portals: Type.Optional(IdList),
  size_min: Type.Optional(Bytes),
  size_max: Type.Optional(Bytes),
});

/** What a wait for packages tells. */
const FinalizedPackages = Type.Object(
  {
    at: { ...DateTime, description: "The service's time of this look: `after` of the next call." },
    packages: Type.Array(Type.Object({ id: Id, portal_id: Type.Optional(Id), finalized_at: DateTime }), {
      description: 'The newest first; of more than 50 the others are in the list.',
    }),
  },
  { title: 'FinalizedPackages' },
);
export type FinalizedPackages = Static<typeof FinalizedPackages>;

export const PackageParams = Type.Object({ package_id: Id });

export const packageRoutes = defineRoutes({
  createTeamPackage: {
    method: 'POST',
    path: '/v1/teams/{team_id}/packages',
    summary: 'Makes an empty package of a Team, to add files to.',
    tag: 'Packages',
    credentials: ['api_key', 'user'],
    params: Type.Object({ team_id: Id }),
    body: CreateTeamPackage,
    reply: { status: 201, body: Package },
    errors: ['not_found', 'not_allowed', 'over_limit', 'team_inactive', 'key_suspended'],
    example: { name: 'Dailies, day 12', description: 'A and B camera', recipients: ['post@example.com'] },
  },
  finalizePackage: {
    method: 'POST',
    path: '/v1/packages/{package_id}/finalize',
    summary: 'Closes a package whose files are all finalized, and makes a link for each recipient.',
    tag: 'Packages',
    credentials: ['package:write', 'package:manage'],
    params: PackageParams,
    query: Type.Object({
      total_files: Type.Optional(
        Type.Integer({
          minimum: 0,
          description:
            'How many files the sender has put into it, without folders. Where the package holds another number, it stays open: `package_differs`.',
        }),
      ),
      size: Type.Optional({ ...Bytes, description: 'Bytes of all of them, compared likewise.' }),
    }),
    reply: { status: 204 },
    errors: ['not_found', 'not_allowed', 'team_inactive', 'state_conflict', 'package_differs', 'package_expired'],
  },
  getPackage: {
    method: 'GET',
    path: '/v1/packages/{package_id}',
    summary: 'Reads a package.',
    tag: 'Packages',
    credentials: ['package:write', 'package:read', 'package:manage'],
    params: PackageParams,
    reply: { status: 200, body: Package },
    errors: ['not_found', 'not_allowed', 'package_expired', 'link_expired', 'link_inactive'],
  },
  listTeamPackages: {
    method: 'GET',
    path: '/v1.1/teams/{team_id}/packages',
    summary: 'Lists the packages of a Team, filtered, sorted and paged.',
    tag: 'Packages',
    credentials: ['api_key', 'user'],
    params: Type.Object({ team_id: Id }),
    query: PackageListQuery,
    reply: { status: 200, body: Page(Package) },
    errors: ['not_found', 'not_allowed', 'key_suspended'],
  },
  getTeamPackage: {
    method: 'GET',
    path: '/v1/teams/{team_id}/packages/{package_id}',
    summary: 'One package of a Team, as its lists have it: with a token by which the caller manages or reads it.',
    tag: 'Packages',
    credentials: ['api_key', 'user'],
    params: Type.Object({ team_id: Id, package_id: Id }),
    reply: { status: 200, body: Package },
    errors: ['not_found', 'not_allowed', 'key_suspended'],
  },
  waitForPackages: {
    method: 'GET',
    path: '/v1/teams/{team_id}/packages/wait',
    summary: 'Waits until a package of the Team is finalized that the caller sees.',
    tag: 'Packages',
    credentials: ['api_key', 'user'],
    params: Type.Object({ team_id: Id }),
    query: Type.Object({
      after: Type.Optional({ ...DateTime, description: '`at` of the answer before; without it, from now on.' }),
      wait: Type.Integer({
        minimum: 0,
        maximum: limits.packageWaitSeconds,
        default: 0,
        description: 'Seconds to wait before an empty answer.',
      }),
    }),
    reply: { status: 200, body: FinalizedPackages },
    errors: ['not_found', 'not_allowed', 'key_suspended'],
  },
});
