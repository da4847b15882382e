import { ApiError } from '#protocol/errors.ts';
import type { HandlersOf } from '../handler.ts';
import { resourceAccess } from '../teams/resource.ts';
import { requireAccessCode } from './access-code.ts';
import { instantHandlers } from './instant.ts';
import { listHandlers } from './list.ts';
import { mailPreviewHandlers } from './mail-preview.ts';
import { manageHandlers } from './manage.ts';
import { createPortalPackage } from './packages.ts';
import { requestHandlers } from './requests.ts';
import { enabledFields, readBranding, toCover, toPublicPortal, wholePortal } from './row.ts';

/** Portals as they are read one by one (contract/portals.md §2). */
const readHandlers: HandlersOf<'getPortal' | 'findPortal'> = {
  async getPortal({ params }, context) {
    const { db, credential } = context;
    const row = await db.selectFrom('portals').selectAll().where('id', '=', params.portal_id).executeTakeFirst();
    if (credential.kind === 'api_key' || credential.kind === 'user') {
      await resourceAccess({ ...context, credential }, 'Portal', row?.team_id, 'integrations.manage');
      return await wholePortal(db, row!);
    }
    if (!row) throw new ApiError('not_found', { resource: 'Portal' });
    await requireAccessCode(context, row, credential);
    return toPublicPortal(row, await enabledFields(db, row.id), await readBranding(db, row.team_id));
  },

  async findPortal({ params }, { db }) {
    const row = await db
      .selectFrom('portals')
      .select(['id', 'team_id', 'name', 'message', 'primary_color', 'logo_url', 'background_url'])
      .where('subdomain', '=', params.subdomain)
      .executeTakeFirst();
    if (!row) throw new ApiError('not_found', { resource: 'Portal' });
    return { id: row.id, cover: toCover(row, await readBranding(db, row.team_id)) };
  },
};

/** Portals: upload pages, each with its own address. */
export const portalHandlers = {
  ...manageHandlers,
  ...readHandlers,
  ...listHandlers,
  ...instantHandlers,
  ...requestHandlers,
  ...mailPreviewHandlers,
  createPortalPackage,
};
