import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Secret } from '../schema.ts';

/** Links: interface §2 "Link info", §4.3, §5.6; decisions "Packages, files, links". */

export const LinkInfo = Type.Object({
  id: Id,
  name: Type.String(),
  expiry: DateTime,
  package_id: Id,
  package_size: Bytes,
  package_token: Secret,
  recipient_email: Type.String(),
  sender_email: Type.String(),
  branding: Type.Object({ primary_color: Type.String() }),
});
export type LinkInfo = Static<typeof LinkInfo>;

export const linkRoutes = defineRoutes({
  openLink: {
    method: 'GET',
    path: '/v1/links/{link_id}',
    summary: 'Opens a download link: its package and a read token for it. A link with a password takes it in X-Link-Password.',
    tag: 'Links',
    credentials: ['link'],
    params: Type.Object({ link_id: Id }),
    query: Type.Object({ secret: Type.String({ minLength: 1, maxLength: 256 }) }),
    reply: { status: 200, body: LinkInfo },
    errors: ['not_found', 'link_password_wrong', 'link_expired', 'link_inactive', 'package_expired'],
  },
});
