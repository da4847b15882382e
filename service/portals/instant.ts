import { randomBytes } from 'node:crypto';
import { ApiError } from '#protocol/errors.ts';
import { creation, type HandlersOf } from '../handler.ts';
import { teamAccess } from '../teams/access.ts';
import { subdomainOf } from '../teams/subdomain.ts';
import { makePortal } from './manage.ts';

/** Letters and digits that nobody mistakes for each other on the telephone. */
const alphabet = 'abcdefghkmnpqrstuvwxyz23456789';

const suffix = (): string => [...randomBytes(5)].map((byte) => alphabet[byte % alphabet.length]!).join('');

/** A Portal that takes uploads at once, from as little as nothing (contract/portals.md §12). */
export const instantHandlers: HandlersOf<'createInstantPortal'> = {
  createInstantPortal: creation(
    ({ params }, context) => teamAccess(context, params.team_id, 'integrations.manage'),
    async ({ body }, context, access) => {
      const { db } = context;
      const team = await db.selectFrom('teams').select('name').where('id', '=', access.teamId).executeTakeFirst();
      const user = await db.selectFrom('users').select('email').where('id', '=', access.userId).executeTakeFirst();
      if (!team || !user) throw new ApiError('not_found', { resource: 'Team' });
      const name = body?.name ?? team.name;
      // Its last characters are random, so it is free: what people cannot guess they do not flood either.
      const subdomain = `${subdomainOf(name).slice(0, 40).replace(/-+$/, '')}-${suffix()}`;
      return await makePortal(context, access, { name, subdomain, active: true, recipients: body?.recipients ?? [user.email] });
    },
  ),
};
