import { Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { DateTime } from '../schema.ts';

/** How the agent's page gets its token where calls need one: by an address that can be used once. */

/** The page's route for such an address: `#/enter?code=…`, with `&to=…` for the route to open after it. */
export const enterPlace = '#/enter';

const PageAddress = Type.Object(
  {
    place: Type.String({
      description: 'To be put behind the agent’s address and a slash. Good once.',
      examples: ['#/enter?code=lsc_3q2-7wEr…'],
    }),
    expires_at: DateTime,
  },
  { title: 'PageAddress' },
);

const EnterPage = Type.Object({ code: Type.String({ minLength: 1, maxLength: 200 }) });

const common = { tag: 'Page', credentials: ['none'] } as const;

export const pageEntryRoutes = defineRoutes({
  createPageAddress: {
    ...common,
    method: 'POST',
    path: '/api/v1/page/address',
    summary: 'Makes an address by which a browser comes to the page without being asked for the token: good once, and for a minute.',
    reply: { status: 201, body: PageAddress },
    errors: ['not_allowed'],
  },
  enterPage: {
    ...common,
    method: 'POST',
    path: '/api/v1/page/enter',
    summary: 'Trades the code of such an address for a token that is good until the agent stops.',
    body: EnterPage,
    reply: { status: 200, body: Type.Object({ token: Type.String() }) },
    errors: ['agent_token_required', 'rate_limited', 'foreign_user'],
    example: { code: 'lsc_3q2-7wEr…' },
  },
});
