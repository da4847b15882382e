import { Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Id } from '../schema.ts';

/** Turning the notices of a package off by a mail: contract/packages.md §12. */

export const noticeRoutes = defineRoutes({
  stopNotices: {
    method: 'POST',
    path: '/v1/notices/{message_id}/stop',
    summary: "Mails no more notices of a package to a message's recipient. Mail programs call it by the header List-Unsubscribe.",
    tag: 'Packages',
    credentials: ['none'],
    params: Type.Object({ message_id: Id }),
    query: Type.Object({ token: Type.String({ minLength: 1, maxLength: limits.mailedTokenLength, description: 'As it was mailed.' }) }),
    reply: { status: 204 },
    errors: ['not_found'],
  },
});
