import type { HandlersOf } from '../handler.ts';
import { brandToBe } from '../mail/brand-preview.ts';
import { previewMail } from '../mail/preview.ts';
import { teamAccess } from './access.ts';

/** A mail as it would look with settings that are not saved (contract/teams-and-members.md §6). */
export const mailPreviewHandlers: HandlersOf<'previewMail'> = {
  async previewMail({ params, body }, context) {
    const { db, urls, now } = context;
    const { teamId, userId } = await teamAccess(context, params.team_id, 'team.manage');
    const team = await db.selectFrom('teams').selectAll().where('id', '=', teamId).executeTakeFirstOrThrow();
    const person = await db.selectFrom('users').select(['name', 'email']).where('id', '=', userId).executeTakeFirstOrThrow();
    const { kind, language, ...changes } = body;
    const brand = await brandToBe(db, teamId, { ...team, ...changes }, team, urls);
    return previewMail(brand, { kind, language, person, team: brand.name, portal: null, base: urls.base, at: now() });
  },
};
