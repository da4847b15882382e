import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Id } from '../schema.ts';

/** Turning the notices of a package off, and on again, by a mail: contract/packages.md §12. */

export const NoticeChoice = Type.Object(
  {
    package_name: Type.String({ examples: ['Dailies, day 12'] }),
    email: Type.String({ description: 'Whom the message went to.', examples: ['mia@example.com'] }),
    stopped: Type.Boolean({ description: 'Whether this address is told nothing of the package any more.' }),
  },
  { title: 'NoticeChoice' },
);
export type NoticeChoice = Static<typeof NoticeChoice>;

const common = {
  tag: 'Packages',
  credentials: ['none'],
  params: Type.Object({ message_id: Id }),
  query: Type.Object({ token: Type.String({ minLength: 1, maxLength: limits.mailedTokenLength, description: 'As it was mailed.' }) }),
  errors: ['not_found'],
} as const;

export const noticeRoutes = defineRoutes({
  getNoticeChoice: {
    ...common,
    method: 'GET',
    path: '/v1/notices/{message_id}',
    summary: 'Which package and which address a mailed notice is for, and whether notices are turned off.',
    reply: { status: 200, body: NoticeChoice },
  },
  stopNotices: {
    ...common,
    method: 'POST',
    path: '/v1/notices/{message_id}/stop',
    summary: "Mails no more notices of a package to a message's recipient. Mail programs call it by the header List-Unsubscribe.",
    reply: { status: 204 },
  },
  resumeNotices: {
    ...common,
    method: 'POST',
    path: '/v1/notices/{message_id}/resume',
    summary: "Mails the notices of a package to a message's recipient again, from now on.",
    reply: { status: 204 },
  },
});
