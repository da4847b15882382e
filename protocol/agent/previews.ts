import { type Static, Type } from 'typebox';
import { LinkCode } from '../hosted/links.ts';
import { PublicPortal } from '../hosted/portals.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Literals, Secret } from '../schema.ts';
import { portalAddress } from './portal-uploads.ts';

/**
 * Preview of a link or a Portal before a transfer. The calls are POST, so that no address contains a secret; they
 * change nothing, neither here nor at the service, but that a code of a link is good once: docs/decisions/0025.
 */

/** Limit of file names in one answer. */
export const previewedFiles = 10_000;

export const PreviewLink = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 4_096 }),
  password: Type.Optional(Secret),
  code: Type.Optional({ ...Secret, description: 'The code that the link asks for, or `proof` of an earlier answer.' }),
});
export type PreviewLink = Static<typeof PreviewLink>;

export const MailLinkCode = Type.Object({ url: PreviewLink.properties.url, password: PreviewLink.properties.password });
export type MailLinkCode = Static<typeof MailLinkCode>;

const PreviewedFile = Type.Object({
  id: { ...Id, description: 'Goes into `file_ids` of a download.' },
  kind: Literals(['file', 'directory']),
  path: Type.String({ description: 'The folder inside the package that holds it, with `/`; empty for the root.' }),
  name: Type.String(),
  size: Bytes,
});

export const LinkPreview = Type.Object(
  {
    service_url: Type.String({ examples: ['https://share.example.com'] }),
    name: Type.String({ description: "The package's name." }),
    sender: Type.String(),
    message: Type.Optional(Type.String({ description: 'What the sender has to say. May be empty.', examples: ['A and B camera'] })),
    expiry: DateTime,
    used_up: Type.Boolean({
      description: 'As many as the link allows have started a download: it cannot be begun any more.',
      examples: [false],
    }),
    proof: Type.Optional({ ...Secret, description: 'Of a link that asks for a code, which is good once: `code` of a download.' }),
    size: Bytes,
    total_files: Type.Integer({ minimum: 0 }),
    files: Type.Array(PreviewedFile, { description: `At most ${previewedFiles}; \`total_files\` says how many there are.` }),
  },
  { title: 'LinkPreview' },
);
export type LinkPreview = Static<typeof LinkPreview>;

const { subdomain, portal_id, access_code, service_url } = portalAddress;
export const PreviewPortal = Type.Object({ subdomain, portal_id, access_code, service_url });
export type PreviewPortal = Static<typeof PreviewPortal>;

const common = { tag: 'Transfers', credentials: ['none'], method: 'POST' } as const;

export const previewRoutes = defineRoutes({
  previewLink: {
    ...common,
    path: '/api/v1/links/preview',
    summary: 'Opens a download link and tells what is behind it, without downloading anything.',
    body: PreviewLink,
    reply: { status: 200, body: LinkPreview },
    errors: [
      'link_malformed',
      'service_unreachable',
      'not_found',
      'link_password_wrong',
      'link_code_required',
      'link_code_wrong',
      'link_code_over',
      'link_expired',
      'link_inactive',
      'package_unusable',
    ],
    example: { url: 'https://share.example.com/d/019a…?secret=…' },
  },
  mailLinkCode: {
    ...common,
    path: '/api/v1/links/code',
    summary: 'Has the code mailed that a download link asks its recipient for.',
    body: MailLinkCode,
    reply: { status: 200, body: LinkCode },
    errors: [
      'link_malformed',
      'service_unreachable',
      'not_found',
      'link_password_wrong',
      'state_conflict',
      'rate_limited',
      'link_expired',
      'link_inactive',
    ],
    example: { url: 'https://share.example.com/d/019a…?secret=…' },
  },
  previewPortal: {
    ...common,
    path: '/api/v1/portals/preview',
    summary: 'Tells what a Portal asks of a sender: its terms, its form, what it takes.',
    body: PreviewPortal,
    reply: { status: 200, body: PublicPortal },
    errors: ['invalid_request', 'service_unreachable', 'not_found', 'access_code_wrong', 'service_refused'],
    example: { subdomain: 'northlight' },
  },
});
