import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { namePatternLimits } from '../name-pattern.ts';
import { colorPattern, fileTypePattern } from '../patterns.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Email, Id, KeysetPage, Literals, Name, Text } from '../schema.ts';
import { subdomainPattern } from '../subdomain.ts';
import { ExpectedUpdatedAt, keysetQuery, sorts, TeamParams, teamCredentials, teamErrors } from './common.ts';
import { FormField } from './forms.ts';
import { IdList } from './packages.ts';
import { Tag } from './tags.ts';

/** Portals: contract/portals.md §2, §3, §4. */

export const portalAccessLevels = ['regular', 'private'] as const;

/** The subdomain of an existing Portal: older ones may have `-` at any position. */
export const Subdomain = Type.String({
  pattern: '^[a-z0-9-]{3,53}$',
  description: 'Unique. 3 to 53 of a-z, 0-9 and -.',
  examples: ['northlight'],
});
const NewSubdomain = Type.String({
  pattern: subdomainPattern,
  description: 'Unique. A label of a host name: 3 to 53 of a-z, 0-9 and -, which is neither first nor last, nor third and fourth.',
  examples: ['northlight'],
});

const WebAddress = Type.String({
  maxLength: 2_048,
  description: 'An http or https address; empty for none.',
  examples: ['https://example.com/terms'],
});

export const TermsOfService = Type.Object(
  {
    title: Type.String({ maxLength: limits.nameLength, examples: ['Before you upload'] }),
    description: Type.String({ maxLength: limits.textLength, examples: ['Send only what you may send.'] }),
    checkbox_label: Type.String({ maxLength: limits.nameLength, examples: ['I agree'] }),
    checkbox_url: WebAddress,
  },
  { title: 'TermsOfService' },
);
export type TermsOfService = Static<typeof TermsOfService>;

const PortalConnection = Type.Object(
  {
    id: Id,
    target_action: Literals(['transfer'], { description: 'What is done with a new upload.' }),
    filter_id: Type.Optional({ ...Id, description: 'Left out, the connection has no filter.' }),
  },
  { title: 'PortalConnection' },
);

const PortalWebhook = Type.Object({ id: Id });

const Limit = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: '0 = no limit.' });
const ExpiryDays = Type.Integer({
  minimum: limits.portalExpiryDays.min,
  maximum: limits.portalExpiryDays.max,
  description: "Days that packages are kept, from when they are finalized; -1 for indefinitely; 0 for the Team's default.",
});
const FileType = Type.String({ pattern: fileTypePattern, description: 'Extension with its leading dot.', examples: ['.mov'] });
const Addresses = Type.Array(Email, { maxItems: limits.recipients });

/** A Portal's settings besides its name and subdomain. */
const settings = {
  message: Text,
  has_access_code: Type.Boolean(),
  access_code: Type.String({ maxLength: limits.passwordLength.max }),
  active: Type.Boolean({ description: 'Whether the page takes uploads. New Portals do not.', examples: [true] }),
  recipients: { ...Addresses, description: 'Told of each upload.' },
  cc_recipients: Addresses,
  has_download_password: Type.Boolean(),
  download_password: Type.String({
    maxLength: limits.passwordLength.max,
    description: 'Reads as `****` where there is one; that value sent back leaves it as it is.',
  }),
  custom_expiry_days: ExpiryDays,
  access_level: Literals(portalAccessLevels, { description: 'Packages of a `private` Portal are seen by `access_list` only.' }),
  access_list: Type.Array(Id, { maxItems: 10_000, description: 'User ids.' }),
  teamspace_id: Type.String({ maxLength: 128, description: 'Empty if not attached.' }),
  terms_of_service_enabled: Type.Boolean(),
  terms_of_service: TermsOfService,
  package_size_restriction_enabled: Type.Boolean(),
  max_package_size: { ...Limit, description: 'Bytes. 0 = no limit.' },
  max_file_size: { ...Limit, description: 'Bytes. 0 = no limit.' },
  max_file_count: Limit,
  max_storage: { ...Limit, description: 'Bytes of all files that came through it and are still there. 0 = no limit.' },
  file_type_restriction_enabled: Type.Boolean(),
  file_types: Type.Array(FileType, { maxItems: 1_000 }),
  expiry_enabled: Type.Boolean(),
  expiry: DateTime,
  primary_color: Type.String({ pattern: colorPattern, description: '`#rrggbb`; empty for the default.', examples: ['#1f6feb'] }),
  logo_url: { ...WebAddress, examples: ['https://example.com/logo.svg'] },
  background_url: { ...WebAddress, examples: ['https://example.com/harbour.jpg'] },
  name_pattern: Type.String({
    maxLength: namePatternLimits.length,
    description: 'What names of packages look like: texts, and placeholders in braces. Empty for any name.',
    examples: ['NL_{digits:4}_{A|B}'],
  }),
  name_pattern_label: Type.String({
    maxLength: limits.nameLength,
    description: 'Says it in words, for senders.',
    examples: ['Number of the shoot, and the camera'],
  }),
  name_pattern_example: Type.String({
    maxLength: limits.nameLength,
    description: 'A name of the pattern. Left empty, one is made.',
    examples: ['NL_0042_A'],
  }),
};

const PortalTag = Type.Optional(Tag);
const CustomMetadata = Type.Optional(
  Type.Array(FormField, { description: 'The fields of the form that a sender has to answer; left out where there is none.' }),
);

/** The complete Portal, for its Team. */
export const Portal = Type.Object(
  {
    id: Id,
    team_id: Id,
    name: Type.String({ examples: ['Northlight dailies'] }),
    subdomain: Subdomain,
    ...settings,
    storage_used: Type.Optional({
      ...Bytes,
      description: 'How much of `max_storage` is used. Left out where that is 0, and until it is counted.',
    }),
    cloud_connections: Type.Array(PortalConnection),
    custom_webhooks: Type.Array(PortalWebhook),
    tag: PortalTag,
    custom_metadata: CustomMetadata,
    created_at: DateTime,
    updated_at: DateTime,
  },
  { title: 'Portal' },
);
export type Portal = Static<typeof Portal>;

/** The fields that the upload page needs, without secrets. */
export const PublicPortal = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['Northlight dailies'] }),
    subdomain: Subdomain,
    message: settings.message,
    active: settings.active,
    has_access_code: settings.has_access_code,
    terms_of_service_enabled: settings.terms_of_service_enabled,
    terms_of_service: settings.terms_of_service,
    package_size_restriction_enabled: settings.package_size_restriction_enabled,
    max_package_size: settings.max_package_size,
    max_file_size: settings.max_file_size,
    max_file_count: settings.max_file_count,
    file_type_restriction_enabled: settings.file_type_restriction_enabled,
    file_types: settings.file_types,
    expiry_enabled: settings.expiry_enabled,
    expiry: settings.expiry,
    primary_color: settings.primary_color,
    logo_url: settings.logo_url,
    background_url: settings.background_url,
    name_pattern: settings.name_pattern,
    name_pattern_label: settings.name_pattern_label,
    name_pattern_example: settings.name_pattern_example,
    imprint_url: Type.Optional(Type.String({ description: "The Team's imprint.", examples: ['https://example.com/imprint'] })),
    privacy_url: Type.Optional(Type.String({ description: "The Team's privacy policy.", examples: ['https://example.com/privacy'] })),
    custom_metadata: CustomMetadata,
  },
  { title: 'PublicPortal' },
);
export type PublicPortal = Static<typeof PublicPortal>;

/** What anybody who knows a Portal's address may see of it, also without its access code: whose page it is. */
export const PortalCover = Type.Object(
  {
    name: PublicPortal.properties.name,
    message: settings.message,
    primary_color: settings.primary_color,
    logo_url: settings.logo_url,
    background_url: settings.background_url,
    imprint_url: PublicPortal.properties.imprint_url,
    privacy_url: PublicPortal.properties.privacy_url,
  },
  { title: 'PortalCover' },
);
export type PortalCover = Static<typeof PortalCover>;

const changeable = {
  ...Type.Partial(Type.Object(settings)).properties,
  tag: Type.Optional(Type.Object({ id: Type.String({ maxLength: 128, description: 'Empty for none.' }) })),
  configure_cloud_connections: Type.Optional(
    Type.Boolean({
      description: 'Must be true for `cloud_connections` to be read; else those attached stay, and a new Portal is refused with any.',
    }),
  ),
  cloud_connections: Type.Optional(Type.Array(PortalConnection, { maxItems: limits.portalConnections })),
  custom_webhooks: Type.Optional(
    Type.Array(PortalWebhook, {
      maxItems: limits.portalConnections,
      description: 'The full list: those left out of it are detached. Without the property all stay.',
    }),
  ),
};

export const CreatePortal = Type.Object({ name: Name, subdomain: NewSubdomain, ...changeable });
export type CreatePortal = Static<typeof CreatePortal>;

/** The client reads the full Portal, changes it and sends it back. Missing fields stay unchanged. */
export const UpdatePortal = Type.Object({
  name: Type.Optional(Name),
  subdomain: Type.Optional({ ...Subdomain, description: 'As of a new Portal, or the one it has.' }),
  ...changeable,
  expected_updated_at: ExpectedUpdatedAt,
});
export type UpdatePortal = Static<typeof UpdatePortal>;

export const portalSorts = sorts(['name', 'created_at', 'active']);
const PortalListQuery = Type.Object({
  ...keysetQuery(1),
  sort: Type.Optional(Literals(portalSorts)),
  name: Type.Optional(Type.String({ maxLength: limits.nameLength, description: 'A part of the name.' })),
  subdomain: Type.Optional(Type.String({ maxLength: 53, description: 'A part of the subdomain.' })),
  tags: Type.Optional(IdList),
  teamspaces: Type.Optional(IdList),
});

export const PortalParams = Type.Object({ portal_id: Id });
const common = { tag: 'Portals', credentials: teamCredentials } as const;

export const portalRoutes = defineRoutes({
  createPortal: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/portals',
    summary: 'Makes a Portal: an upload page with an address of its own.',
    params: TeamParams,
    body: CreatePortal,
    reply: { status: 201, body: Portal },
    errors: [...teamErrors, 'already_exists', 'over_limit'],
    example: { name: 'Northlight dailies', subdomain: 'northlight', active: true, recipients: ['post@example.com'] },
  },
  updatePortal: {
    ...common,
    method: 'PUT',
    path: '/v1/portals/{portal_id}',
    summary: 'Changes a Portal: read it, change it, send it back. Also attaches connections and webhooks.',
    params: PortalParams,
    body: UpdatePortal,
    reply: { status: 200, body: Portal },
    errors: [...teamErrors, 'already_exists', 'over_limit', 'state_conflict'],
    example: {
      name: 'Northlight dailies',
      configure_cloud_connections: true,
      cloud_connections: [{ id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', target_action: 'transfer' }],
    },
  },
  getPortal: {
    method: 'GET',
    path: '/v1/portals/{portal_id}',
    summary:
      'Reads a Portal: whole with an API key; with its access code, or with nothing where it has none, only what the upload page needs.',
    tag: 'Portals',
    credentials: [...teamCredentials, 'access_code', 'none'],
    params: PortalParams,
    reply: { status: 200, body: Type.Union([Portal, PublicPortal]) },
    errors: ['not_found', 'not_allowed', 'key_suspended', 'team_inactive', 'access_code_wrong'],
  },
  deletePortal: {
    ...common,
    method: 'DELETE',
    path: '/v1/portals/{portal_id}',
    summary: 'Deletes a Portal. Packages received through it stay.',
    params: PortalParams,
    reply: { status: 204 },
    errors: teamErrors,
  },
  listPortals: {
    ...common,
    method: 'GET',
    path: '/v1.1/teams/{team_id}/portals',
    summary: 'Lists the Portals of a Team, filtered, sorted and paged.',
    params: TeamParams,
    query: PortalListQuery,
    reply: { status: 200, body: KeysetPage(Portal) },
    errors: teamErrors,
  },
  findPortal: {
    method: 'GET',
    path: '/v1/subdomains/portals/{subdomain}',
    summary: 'Finds the Portal with a subdomain: its id, and what its page shows before an access code was given.',
    tag: 'Portals',
    credentials: ['none'],
    params: Type.Object({ subdomain: Subdomain }),
    reply: { status: 200, body: Type.Object({ id: Id, cover: Type.Optional(PortalCover) }) },
    errors: ['not_found'],
  },
});
