import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Email, Id, Literals, Secret } from '../schema.ts';
import { PackageParams } from './packages.ts';

/** Links: contract/links.md §1, §2. */

export const LinkInfo = Type.Object(
  {
    id: Id,
    name: Type.String(),
    expiry: DateTime,
    package_id: Id,
    package_size: Bytes,
    package_token: Secret,
    recipient_email: Type.String(),
    sender_email: Type.String(),
    description: Type.Optional(
      Type.String({ description: "The package's description: what its sender has to say. May be empty.", examples: ['A and B camera'] }),
    ),
    used_up: Type.Optional(
      Type.Boolean({ description: 'As many as the link allows have started a download: a new token starts none.', examples: [false] }),
    ),
    proof: Type.Optional({
      ...Secret,
      description: 'Of a link that asks for a code: in X-Link-Code it opens the link again, without another one, for 12 hours.',
    }),
    branding: Type.Object(
      {
        primary_color: Type.String({ description: '`#rrggbb`; empty for the default.', examples: ['#1f6feb'] }),
        name: Type.Optional(Type.String({ description: 'Of the Portal.', examples: ['Northlight dailies'] })),
        logo_url: Type.Optional(Type.String({ examples: ['https://example.com/logo.svg'] })),
        background_url: Type.Optional(Type.String({ examples: [''] })),
      },
      { description: 'Of the Portal that the package came in through, and of its Team for the rest; the default where there is none.' },
    ),
    imprint_url: Type.Optional(Type.String({ description: "The Team's imprint.", examples: ['https://example.com/imprint'] })),
    privacy_url: Type.Optional(Type.String({ description: "The Team's privacy policy.", examples: ['https://example.com/privacy'] })),
  },
  { title: 'LinkInfo' },
);
export type LinkInfo = Static<typeof LinkInfo>;

/** Why the mail of a link did not arrive. */
export const linkMailProblems = [
  'no_mailbox',
  'mailbox_full',
  'unwanted',
  'bad_address',
  'refused',
  'unreachable',
  'held_back',
  'delayed',
] as const;

const LinkMail = Type.Object(
  {
    state: Literals(['waiting', 'sent', 'failed', 'withdrawn'], {
      description: '`sent`: the mail server took it. `withdrawn`: its link or package had ended before.',
    }),
    problem: Type.Optional(
      Literals(linkMailProblems, {
        description:
          'Why it failed; `delayed` while it waits for another attempt. `unreachable`: all attempts failed. `held_back`: too many mails were caused through the Portal.',
      }),
    ),
    detail: Type.Optional(Type.String({ description: "What the recipient's mail server said.", examples: ['550 5.1.1 No such user'] })),
  },
  { title: 'LinkMail' },
);
export type LinkMail = Static<typeof LinkMail>;

export const Link = Type.Object(
  {
    id: Id,
    email: Type.String({ description: 'Empty if the link is for nobody in particular.' }),
    access_limit: Type.Integer({ minimum: 0 }),
    access_limit_enabled: Type.Boolean(),
    active: Type.Boolean({ examples: [true] }),
    download_secret: { ...Secret, examples: ['q4pVb…'] },
    expiry: DateTime,
    password: Literals(['', '****']),
    verify_recipient: Type.Optional(
      Type.Boolean({ description: 'Whoever opens it proves with a mailed code that `email` is theirs.', examples: [false] }),
    ),
    mail: Type.Optional({ ...LinkMail, description: 'How its last mail went. Only in the list of links; absent where none was sent.' }),
    url: Type.String({ examples: ['https://share.example.com/d/019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b?secret=q4pVb…'] }),
  },
  { title: 'Link' },
);
export type Link = Static<typeof Link>;

export const CreateLink = Type.Object({
  email: Type.Optional(Email),
  password: Type.Optional(Type.String({ maxLength: limits.passwordLength.max })),
  access_limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  expiry: Type.Optional(DateTime),
  verify_recipient: Type.Optional(
    Type.Boolean({ description: 'Asks whoever opens it for a code that is mailed to `email`, which it then needs.' }),
  ),
});

export const LinkCode = Type.Object(
  {
    recipient: Type.String({ description: 'Where the code goes, not written out.', examples: ['p…@example.com'] }),
    valid_seconds: Type.Integer({ description: 'How long it is good.', examples: [limits.linkCodeSeconds] }),
    pause_seconds: Type.Integer({ description: 'After which another one may be asked for.', examples: [limits.linkCodePauseSeconds] }),
  },
  { title: 'LinkCode' },
);
export type LinkCode = Static<typeof LinkCode>;

export const linkRoutes = defineRoutes({
  createLink: {
    method: 'POST',
    path: '/v1/packages/{package_id}/links',
    summary: 'Makes a download link. Of a package that is `new` it becomes active when the package is finalized.',
    tag: 'Links',
    credentials: ['package:manage'],
    params: PackageParams,
    body: CreateLink,
    reply: { status: 201, body: Link },
    errors: ['not_found', 'not_allowed', 'team_inactive', 'package_expired'],
    example: { email: 'post@example.com', access_limit: 3 },
  },
  listLinks: {
    method: 'GET',
    path: '/v1/packages/{package_id}/links',
    summary: 'Lists the links of a package.',
    tag: 'Links',
    credentials: ['package:manage'],
    params: PackageParams,
    reply: { status: 200, body: Type.Array(Link) },
    errors: ['not_found', 'not_allowed', 'team_inactive'],
  },
  deleteLink: {
    method: 'DELETE',
    path: '/v1/packages/{package_id}/links/{link_id}',
    summary:
      'Disables a link. Its record stays. Addresses of files that were given out before stand until their end, 7 days at most; deleting the package ends them.',
    tag: 'Links',
    credentials: ['package:manage'],
    params: Type.Object({ package_id: Id, link_id: Id }),
    reply: { status: 204 },
    errors: ['not_found', 'not_allowed', 'team_inactive'],
  },
  openLink: {
    method: 'GET',
    path: '/v1/links/{link_id}',
    summary:
      'Opens a download link: its package and a read token for it. A link with a password takes it in X-Link-Password, one that asks for a mailed code takes that in X-Link-Code.',
    tag: 'Links',
    credentials: ['link'],
    params: Type.Object({ link_id: Id }),
    query: Type.Object({ secret: Type.String({ minLength: 1, maxLength: 256 }) }),
    reply: { status: 200, body: LinkInfo },
    errors: [
      'not_found',
      'link_password_wrong',
      'link_code_required',
      'link_code_wrong',
      'link_code_over',
      'state_conflict',
      'link_expired',
      'link_inactive',
      'package_quarantined',
      'package_expired',
      'package_deleted',
    ],
  },
  createLinkCode: {
    method: 'POST',
    path: '/v1/links/{link_id}/codes',
    summary: 'Mails the code that a link asks for to whom the link is for. The one before is good no more.',
    tag: 'Links',
    credentials: ['link'],
    params: Type.Object({ link_id: Id }),
    query: Type.Object({ secret: Type.String({ minLength: 1, maxLength: 256 }) }),
    reply: { status: 202, body: LinkCode },
    errors: [
      'not_found',
      'link_password_wrong',
      'state_conflict',
      'link_expired',
      'link_inactive',
      'package_quarantined',
      'package_expired',
      'package_deleted',
      'rate_limited',
    ],
  },
});
