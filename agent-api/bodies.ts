import type { FastifyInstance } from 'fastify';
import { ApiError } from '#protocol/errors.ts';
import { isTooDeep, mostLevels } from '#protocol/json-depth.ts';

/**
 * Bodies are JSON. One that is nested so deep that no call could mean it is refused, as at the service. `__proto__` and a
 * `constructor` with a `prototype` are taken out: they are unknown to every route, and unknown fields are ignored.
 */
export function acceptJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (isTooDeep(body))
      return done(new ApiError('invalid_request', { detail: `The body is nested more than ${mostLevels} levels deep.` }));
    parse(request, body, done);
  });
}
