import type { HandlersOf } from '../handler.ts';
import { ownImage } from '../images/own-image.ts';
import { brandOf } from '../mail/brand.ts';
import { previewMail } from '../mail/preview.ts';
import { checkWebAddress } from '../web-address.ts';
import { teamAccess } from './access.ts';

/** A mail as it would look with settings that are not saved (contract/teams-and-members.md §6). */
export const mailPreviewHandlers: HandlersOf<'previewMail'> = {
  async previewMail({ params, body }, context) {
    const { db, urls, now } = context;
    const { teamId, userId } = await teamAccess(context, params.team_id, 'team.manage');
    const team = await db.selectFrom('teams').selectAll().where('id', '=', teamId).executeTakeFirstOrThrow();
    const person = await db.selectFrom('users').select(['name', 'email']).where('id', '=', userId).executeTakeFirstOrThrow();
    const { name, primary_color: color, logo_url: logo, imprint_url: imprint, privacy_url: privacy } = { ...team, ...body };
    for (const [field, address] of Object.entries({ logo_url: logo, imprint_url: imprint, privacy_url: privacy })) {
      checkWebAddress(field, address);
    }
    const imageId = logo === team.logo_url ? team.logo_image_id : await ownImage(db, { teamId, urls }, 'logo_url', logo);
    const image =
      imageId === null
        ? undefined
        : await db.selectFrom('images').select(['id', 'type', 'width', 'height']).where('id', '=', imageId).executeTakeFirst();
    const brand = brandOf({ name, color, imprint, privacy, image: image ?? null }, urls);
    return previewMail(brand, { kind: body.kind, language: body.language, person, base: urls.base, at: now() });
  },
};
