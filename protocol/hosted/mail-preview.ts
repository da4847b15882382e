import { type Static, Type } from 'typebox';
import { mailLanguages } from '../mail-languages.ts';
import { defineRoutes } from '../route.ts';
import { Literals } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';
import { mailPreviewKinds, portalMailKinds } from './mail-preview-kinds.ts';
import { PortalParams } from './portals.ts';
import { UpdateTeam } from './teams.ts';

/** How a Team's mails look (contract/teams-and-members.md §6), and those of a Portal (contract/portals.md §14). */

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
      kind: Literals(mailPreviewKinds, { description: 'Which of its mails.' }),
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
  previewPortalMail: {
    method: 'POST',
    path: '/v1/portals/{portal_id}/mail_preview',
    summary: 'A mail of the Portal as it would look with other settings. Nothing is saved or sent.',
    tag: 'Portals',
    credentials: teamCredentials,
    params: PortalParams,
    body: Type.Object({
      kind: Literals(portalMailKinds, { description: 'Which of its mails.' }),
      language: Literals(mailLanguages),
      name,
      primary_color,
      logo_url,
    }),
    reply: { status: 200, body: MailPreview },
    errors: [...teamErrors],
    example: { kind: 'portal', language: 'en', primary_color: '#1f6feb' },
  },
});
