import { Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { DateTime, Email, Id, Name, Text } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';
import { Portal, PortalParams } from './portals.ts';

/** Portals at once, and mails that ask people to use them: contract/portals.md §12, §13. */

const Recipients = Type.Array(Email, { minItems: 1, maxItems: limits.portalRequestRecipients });

export const portalRequestRoutes = defineRoutes({
  createInstantPortal: {
    method: 'POST',
    path: '/v1/teams/{team_id}/portals/instant',
    summary: 'Makes a Portal that takes uploads at once: named after the Team, with an address of its own, telling whoever makes it.',
    tag: 'Portals',
    credentials: teamCredentials,
    params: TeamParams,
    body: Type.Object({
      name: Type.Optional(Name),
      recipients: Type.Optional({ ...Recipients, description: 'Told of each upload. Left out, whoever makes it.' }),
    }),
    reply: { status: 201, body: Portal },
    errors: [...teamErrors, 'over_limit', 'already_exists'],
    example: { name: 'Northlight dailies' },
  },
  requestFiles: {
    method: 'POST',
    path: '/v1/portals/{portal_id}/requests',
    summary: 'Asks people by mail to send files through a Portal. The mail has its address, and no access code.',
    tag: 'Portals',
    credentials: teamCredentials,
    params: PortalParams,
    body: Type.Object({ recipients: Recipients, message: Type.Optional(Text) }),
    reply: { status: 201, body: Type.Object({ id: Id, recipients: Recipients, created_at: DateTime }, { title: 'PortalRequest' }) },
    errors: [...teamErrors, 'portal_closed', 'rate_limited'],
    example: { recipients: ['mia@example.com'], message: 'Please send the cards of day 12 by tonight.' },
  },
});
