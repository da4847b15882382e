import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { mailLanguages } from '../mail-languages.ts';
import { colorPattern, currencyPattern } from '../patterns.ts';
import { defineRoutes } from '../route.ts';
import { DateTime, Id, Literals, Name } from '../schema.ts';
import { ExpectedUpdatedAt, TeamParams, teamCredentials, teamErrors } from './common.ts';
import { Notify } from './packages.ts';

/** A Team's settings: contract/teams-and-members.md §6. */

export const VirusPolicy = Literals(['warn', 'block', 'quarantine'], { examples: ['block'] });
export type VirusPolicy = Static<typeof VirusPolicy>;

const WebAddress = Type.String({
  maxLength: 2_048,
  description: 'An http or https address; empty for none.',
  examples: ['https://example.com/imprint'],
});

/** What a Team decides for all of its members; every field is stored in a column of its own. */
const settings = {
  primary_color: Type.String({ pattern: colorPattern, description: '`#rrggbb`; empty for the default.', examples: ['#1f6feb'] }),
  logo_url: { ...WebAddress, examples: ['https://example.com/logo.svg'] },
  background_url: { ...WebAddress, examples: [''] },
  imprint_url: { ...WebAddress, description: 'Shown on public pages and in mails. Empty for none.' },
  privacy_url: { ...WebAddress, description: 'Shown on public pages and in mails. Empty for none.', examples: [''] },
  custom_expiry_enabled: Type.Boolean({ description: 'Else packages are kept 10 days.', examples: [true] }),
  custom_expiry_default: Type.Integer({
    minimum: -1,
    maximum: limits.portalExpiryDays.max,
    description: 'Days that packages are kept, from when they are finalized; -1 for indefinitely.',
    examples: [10],
  }),
  max_expiry_days: Type.Integer({
    minimum: 0,
    maximum: limits.portalExpiryDays.max,
    description: 'The most days that a package can be kept, from when it is finalized. 0 = no limit.',
    examples: [90],
  }),
  download_limit_enabled: Type.Boolean(),
  download_limit_default: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'Downloads by one link, where the sender says nothing.',
  }),
  chunk_size_default: Type.Integer({
    minimum: 0,
    maximum: limits.maxChunkSize,
    description: 'Bytes, for packages whose sender says nothing. 0 = chosen file by file.',
    examples: [0],
  }),
  password_required: Type.Boolean({ description: 'No link without a password.' }),
  public_links_allowed: Type.Boolean({ description: 'Whether links may be for nobody in particular.', examples: [true] }),
  verify_recipient_default: Type.Boolean({
    description: 'Recipients are asked for a mailed code, where a sender says nothing.',
    examples: [false],
  }),
  verify_recipient_required: Type.Boolean({ description: 'Every link to somebody asks for a mailed code.', examples: [false] }),
  mfa_required: Type.Boolean({ description: 'Members without a second factor can do nothing in the Team but add one.' }),
  virus_policy: {
    ...VirusPolicy,
    description: 'Of files in which a virus was found: they are marked; they cannot be downloaded either; nothing of their package can.',
  },
  recipient_domains: Type.Array(Type.String({ minLength: 1, maxLength: 253, examples: ['example.com'] }), {
    maxItems: limits.recipientDomains,
    description: 'Packages are sent to addresses of these domains only. Empty = of any.',
  }),
  notify_default: { ...Notify, description: 'What senders are told of by mail, where they say nothing.' },
  mail_language: Literals(['', ...mailLanguages], {
    description: 'Of mail to people whose own language is not known. Empty: as the browser of whoever causes it says, else English.',
    examples: ['de'],
  }),
  storage_price: Type.Number({
    minimum: 0,
    maximum: 1_000_000,
    description: 'What storing a GiB for a month costs; `getStorageUsage` counts by it. 0 = not said.',
    examples: [0.02],
  }),
  storage_currency: Type.String({
    pattern: currencyPattern,
    description: 'Of the price: three letters of ISO 4217. Empty for none.',
    examples: ['EUR'],
  }),
  audit_retention_days: Type.Integer({
    minimum: 0,
    maximum: limits.portalExpiryDays.max,
    description: 'Days that the audit log is kept, 30 at least. 0 = for ever.',
    examples: [365],
  }),
};

export const TeamSettings = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['Harbour Films'] }),
    subdomain: Type.String({ examples: ['harbour'] }),
    ...settings,
    max_email_recipients: Type.Integer({ description: 'Recipients of one package. Set by the operator.', examples: [500] }),
    created_at: DateTime,
    updated_at: DateTime,
  },
  { title: 'TeamSettings' },
);
export type TeamSettings = Static<typeof TeamSettings>;

/** Missing fields stay unchanged. */
export const UpdateTeam = Type.Object({
  name: Type.Optional(Name),
  ...Type.Partial(Type.Object(settings)).properties,
  expected_updated_at: ExpectedUpdatedAt,
});
export type UpdateTeam = Static<typeof UpdateTeam>;

const common = { tag: 'Teams', credentials: teamCredentials, params: TeamParams } as const;

export const teamRoutes = defineRoutes({
  getTeam: {
    ...common,
    method: 'GET',
    path: '/v1/teams/{team_id}',
    summary: "Reads a Team's branding, defaults and policies. Owners and admins only.",
    reply: { status: 200, body: TeamSettings },
    errors: teamErrors,
  },
  updateTeam: {
    ...common,
    method: 'PUT',
    path: '/v1/teams/{team_id}',
    summary: "Changes a Team's name, branding, defaults and policies. What is left out stays as it is; so do packages that there are.",
    body: UpdateTeam,
    reply: { status: 200, body: TeamSettings },
    errors: [...teamErrors, 'state_conflict', 'over_limit'],
    example: { max_expiry_days: 90, public_links_allowed: false },
  },
});
