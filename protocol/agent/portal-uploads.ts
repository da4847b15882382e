import { type Static, Type } from 'typebox';
import { FormValues } from '../hosted/forms.ts';
import { ChunkSize } from '../hosted/packages.ts';
import { Subdomain } from '../hosted/portals.ts';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Email, Id, Name, Text } from '../schema.ts';
import { DueAt } from './deadline.ts';
import { AgentTransfer, LocalPath, Priority } from './transfers.ts';

/** Uploads through a Portal, which need no session: contract/agent.md §3. */

/** The fields that name a Portal and give access to it. */
export const portalAddress = {
  subdomain: Type.Optional({ ...Subdomain, description: 'One of `subdomain` and `portal_id` is needed.' }),
  portal_id: Type.Optional(Id),
  service_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: "Whose Portal; that of the agent's own service unless given.",
      examples: ['https://share.example.com'],
    }),
  ),
  access_code: Type.Optional(Type.String({ minLength: 1, maxLength: limits.passwordLength.max })),
};

export const CreatePortalUpload = Type.Object({
  ...portalAddress,
  sender: Email,
  package_name: Name,
  package_description: Text,
  paths: Type.Array(LocalPath, { minItems: 1, maxItems: 10_000 }),
  form: Type.Optional(FormValues),
  chunk_size: Type.Optional(ChunkSize),
  priority: Type.Optional(Priority),
  due_at: Type.Optional(DueAt),
  auto_finalize: Type.Optional(Type.Boolean({ default: true })),
});
export type CreatePortalUpload = Static<typeof CreatePortalUpload>;

export const portalUploadRoutes = defineRoutes({
  createPortalUpload: {
    method: 'POST',
    path: '/api/v1/uploads/portal',
    summary: 'Sends files and folders through a Portal. Needs no session.',
    tag: 'Transfers',
    credentials: ['none'],
    body: CreatePortalUpload,
    reply: { status: 201, body: AgentTransfer },
    errors: [
      'path_not_found',
      'path_not_absolute',
      'path_unreadable',
      'path_outside',
      'service_unreachable',
      'not_found',
      'access_code_wrong',
      'portal_closed',
      'form_response_incomplete',
    ],
    example: {
      subdomain: 'northlight',
      sender: 'mia@example.com',
      package_name: 'Dailies, day 12',
      package_description: 'A and B camera',
      paths: ['/media/A001'],
    },
  },
});
