import { type Static, Type } from 'typebox';
import { mailLanguages } from '../mail-languages.ts';
import { defineRoutes } from '../route.ts';
import { Literals } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';
import { UpdateTeam } from './teams.ts';

/** How a Team's mails look: contract/teams-and-members.md §6. */

/** `link`: to a recipient. `portal`: to whom a Portal tells of an upload. `invitation`: to a new member. */
export const mailPreviewKinds = ['link', 'portal', 'invitation'] as const;

export const MailPreview = Type.Object(
  {
    subject: Type.String({ examples: ['Mia Sandberg sent you “Dailies, day 12”'] }),
    text: Type.String({ description: 'The part in plain text.' }),
    html: Type.String({ description: 'The part in HTML, a whole document. It has no scripts.' }),
  },
  { title: 'MailPreview' },
);
export type MailPreview = Static<typeof MailPreview>;

const { name, primary_color, logo_url, imprint_url, privacy_url } = UpdateTeam.properties;

export const mailPreviewRoutes = defineRoutes({
  previewMail: {
    method: 'POST',
    path: '/v1/teams/{team_id}/mail_preview',
    summary: 'A mail of the Team as it would look with other settings. Nothing is saved or sent. Owners and admins only.',
    tag: 'Teams',
    credentials: teamCredentials,
    params: TeamParams,
    body: Type.Object({
      kind: Literals(mailPreviewKinds, { description: 'To a recipient, of a Portal, or to a new member.' }),
      language: Literals(mailLanguages),
      name,
      primary_color,
      logo_url,
      imprint_url,
      privacy_url,
    }),
    reply: { status: 200, body: MailPreview },
    errors: [...teamErrors],
    example: { kind: 'link', language: 'en', primary_color: '#1f6feb' },
  },
});
