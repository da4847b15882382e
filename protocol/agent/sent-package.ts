import { type Static, Type } from 'typebox';
import { PackageFindings, PackageHold, PackageState } from '../hosted/packages.ts';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Email, Id } from '../schema.ts';

/** The package of an upload at its service, for whoever sent it: contract/agent.md §14. */

export const SentLink = Type.Object(
  {
    id: Id,
    email: Type.String({ description: 'Whom it is for; empty for nobody in particular.', examples: ['post@example.com'] }),
    url: Type.String({ examples: ['https://share.example.com/d/019a…?secret=…'] }),
    active: Type.Boolean({ examples: [true] }),
    expiry: DateTime,
    access_limit: Type.Integer({ minimum: 0, description: 'How many may download by it; 0 for any number.', examples: [0] }),
    has_password: Type.Boolean({ examples: [false] }),
    verify_recipient: Type.Optional(
      Type.Boolean({ description: 'Whether it asks for a code that is mailed to `email`.', examples: [false] }),
    ),
    downloads: Type.Optional(
      Type.Integer({ minimum: 0, description: 'How many downloads were begun by it, where the service tells.', examples: [2] }),
    ),
    last_download_at: Type.Optional({ ...DateTime, description: 'When one was begun last; unset for none.' }),
  },
  { title: 'SentLink' },
);
export type SentLink = Static<typeof SentLink>;

export const SentDownload = Type.Object(
  {
    email: Type.String({ description: 'Of the link; empty where it is for nobody in particular.', examples: ['post@example.com'] }),
    at: DateTime,
    verified: Type.Optional(Type.Boolean({ description: 'They proved with a mailed code that the address is theirs.', examples: [false] })),
    what: Type.Optional(
      Type.Object(
        {
          whole: Type.Boolean({ description: 'Everything as one zip.', examples: [false] }),
          files: Type.Integer({ minimum: 0, description: 'Single files, and those of a zip of some.', examples: [2] }),
          more: Type.Boolean({ description: 'There were more than these.', examples: [false] }),
          names: Type.Array(Type.String(), { description: 'The first of them.', examples: [['A001/A001C001.mov', 'notes.txt']] }),
        },
        { description: 'What was asked for, where the service tells.' },
      ),
    ),
  },
  { title: 'SentDownload' },
);
export type SentDownload = Static<typeof SentDownload>;

export const SentPackage = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['Dailies, day 12'] }),
    state: { ...PackageState, examples: ['finalized'] },
    size: Bytes,
    total_files: Type.Integer({ minimum: 0, examples: [3] }),
    expiry: DateTime,
    unlimited_storage: Type.Boolean({ examples: [false] }),
    has_password: Type.Boolean({ description: 'Whether new links get one.', examples: [false] }),
    verify_recipient: Type.Optional(
      Type.Boolean({ description: 'Whether new links for somebody ask for a mailed code.', examples: [false] }),
    ),
    links: Type.Array(SentLink, { description: 'Those that stand, then those that were ended.' }),
    downloads: Type.Optional(
      Type.Array(SentDownload, { description: 'Who began to download it, the newest first, where the service tells.' }),
    ),
    hold: Type.Optional(PackageHold),
    findings: Type.Optional(PackageFindings),
    can_mail: Type.Boolean({ description: 'Whether its service mails a link once more.', examples: [true] }),
  },
  { title: 'SentPackage' },
);
export type SentPackage = Static<typeof SentPackage>;

export const SetSentExpiry = Type.Object({
  expiry: Type.Optional({ ...DateTime, description: 'In the future; left out with `unlimited_storage`.' }),
  unlimited_storage: Type.Optional(Type.Boolean()),
});
export type SetSentExpiry = Static<typeof SetSentExpiry>;

export const AddSentLink = Type.Object({
  email: Type.Optional(Email),
  password: Type.Optional(
    Type.String({ maxLength: limits.passwordLength.max, description: 'Left out, that of the package; empty, none.' }),
  ),
  access_limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  verify_recipient: Type.Optional(
    Type.Boolean({ description: 'Asks for a code that is mailed to `email`, which it then needs; left out, as the package does.' }),
  ),
  mail: Type.Optional(Type.Boolean({ description: 'Whether its service mails it to `email`.', examples: [true] })),
});
export type AddSentLink = Static<typeof AddSentLink>;

const path = '/api/v1/transfers/{id}/package';
const linkPath = '/api/v1/transfers/{id}/package/links/{link_id}';
const common = {
  tag: 'Transfers',
  credentials: ['none'],
  params: Type.Object({ id: Id }),
  errors: ['not_found', 'not_allowed', 'transfer_conflict', 'session_is_nil', 'package_expired', 'service_unreachable'],
} as const;
const ofLink = { ...common, params: Type.Object({ id: Id, link_id: Id }) } as const;

export const sentPackageRoutes = defineRoutes({
  getSentPackage: {
    ...common,
    method: 'GET',
    path,
    summary: 'The package of an upload as its service has it now: expiry, links, who downloaded it.',
    reply: { status: 200, body: SentPackage },
  },
  setSentExpiry: {
    ...common,
    method: 'PUT',
    path: `${path}/expiry`,
    summary: 'Sets when it expires at its service.',
    body: SetSentExpiry,
    reply: { status: 200, body: SentPackage },
    example: { expiry: '2026-12-24T00:00:00.000Z' },
  },
  deleteSentPackage: {
    ...common,
    method: 'DELETE',
    path,
    summary: 'Deletes it at its service: its links end and its files are removed. The transfer stays listed.',
    reply: { status: 204 },
  },
  addSentLink: {
    ...common,
    method: 'POST',
    path: `${path}/links`,
    summary: 'Makes one more link to it; with `email`, for that recipient.',
    body: AddSentLink,
    reply: { status: 201, body: SentPackage },
    example: { email: 'post@example.com' },
  },
  mailSentLink: {
    ...ofLink,
    errors: [...common.errors, 'link_inactive'],
    method: 'POST',
    path: `${linkPath}/mail`,
    summary: 'Has its service mail one of its links to whom it is for, once more: at most once a minute.',
    reply: { status: 204 },
  },
  endSentLink: {
    ...ofLink,
    method: 'DELETE',
    path: linkPath,
    summary: 'Ends one of its links.',
    reply: { status: 204 },
  },
});
