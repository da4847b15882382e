import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { DateTime, Id, KeysetPage } from '../schema.ts';
import { keysetQuery, teamCredentials, teamErrors } from './common.ts';
import { FormField, FormValues } from './forms.ts';

/** What senders answered, package by package: contract/forms.md §7. */

export const AnsweredForm = Type.Object(
  {
    id: { ...Id, description: 'Of the response.' },
    package_id: Id,
    package_name: Type.String({ examples: ['Day 12'] }),
    sender: Type.String({ examples: ['mia@example.com'] }),
    created_at: { ...DateTime, description: 'Of the package.' },
    fields: Type.Array(FormField, { description: 'The form as it was when it was answered.' }),
    values: FormValues,
  },
  { title: 'AnsweredForm' },
);
export type AnsweredForm = Static<typeof AnsweredForm>;

const common = {
  tag: 'Forms',
  credentials: teamCredentials,
  params: Type.Object({ portal_id: Id }),
  errors: teamErrors,
} as const;

export const formAnswerRoutes = defineRoutes({
  listFormAnswers: {
    ...common,
    method: 'GET',
    path: '/v1/portals/{portal_id}/form/responses',
    summary: "Lists the answers that came with a Portal's packages, newest first.",
    query: Type.Object(keysetQuery(1)),
    reply: { status: 200, body: KeysetPage(AnsweredForm) },
  },
  exportFormAnswers: {
    ...common,
    method: 'GET',
    path: '/v1/portals/{portal_id}/form/responses/csv',
    summary: 'The same answers as one CSV: a line for each package, a column for each field. Formulas are made harmless.',
    reply: { status: 200, stream: 'text/csv' },
  },
});
