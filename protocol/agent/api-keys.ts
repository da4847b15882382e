import { type Static, Type } from 'typebox';
import { ApiKeyRequest, CreatedApiKey } from '../hosted/accounts.ts';
import { defineRoutes } from '../route.ts';
import { Id } from '../schema.ts';

/** API keys, created in the session of the user at this machine: docs/decisions/0027. */

export const CreateApiKey = Type.Object({
  team_id: Type.Optional({ ...Id, description: "The Team that the key is for; the session's only one unless given." }),
  session_id: Type.Optional({ ...Id, description: 'Which of several sessions makes it; one that is in the Team unless given.' }),
  name: ApiKeyRequest.properties.name,
  description: ApiKeyRequest.properties.description,
  expiry: ApiKeyRequest.properties.expiry,
});
export type CreateApiKey = Static<typeof CreateApiKey>;

export const apiKeyRoutes = defineRoutes({
  createApiKey: {
    tag: 'Keys',
    credentials: ['none'],
    method: 'POST',
    path: '/api/v1/api_keys',
    summary:
      'Makes an API key at the service, with the permissions of the signed-in user. The key is in this answer and nowhere else. Needs a session by e-mail and password.',
    body: CreateApiKey,
    reply: { status: 201, body: CreatedApiKey },
    errors: ['session_is_nil', 'session_expired', 'not_allowed', 'not_found', 'invalid_request', 'service_unreachable'],
    example: { name: 'Render farm' },
  },
});
