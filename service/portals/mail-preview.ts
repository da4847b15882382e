import type { HandlersOf } from '../handler.ts';
import { brandToBe } from '../mail/brand-preview.ts';
import { previewMail } from '../mail/preview.ts';
import { managedPortal } from './manage.ts';

/** A mail of a Portal as it would look with settings that are not saved (contract/portals.md §14). */
export const mailPreviewHandlers: HandlersOf<'previewPortalMail'> = {
  async previewPortalMail({ params, body }, context) {
    const { db, urls, now, credential } = context;
    const portal = await managedPortal(context, params.portal_id);
    const team = await db.selectFrom('teams').selectAll().where('id', '=', portal.team_id).executeTakeFirstOrThrow();
    const person = await db.selectFrom('users').select(['name', 'email']).where('id', '=', credential.userId).executeTakeFirstOrThrow();
    const { kind, language, ...changes } = body;
    const own = { ...portal, ...changes };
    // What the Portal has not is the Team's, as in the mails themselves.
    const hasLogo = own.logo_url !== '';
    const brand = await brandToBe(
      db,
      team.id,
      {
        name: own.name,
        primary_color: own.primary_color || team.primary_color,
        logo_url: hasLogo ? own.logo_url : team.logo_url,
        imprint_url: team.imprint_url,
        privacy_url: team.privacy_url,
      },
      hasLogo ? portal : team,
      urls,
    );
    return previewMail(brand, { kind, language, person, team: team.name, portal: brand.name, base: urls.base, at: now() });
  },
};
