import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { ApiError } from '#protocol/errors.ts';
import type { Route } from '#protocol/route.ts';
import { describe } from './failures.ts';
import { JsonText } from './json-text.ts';

/*
 * A route's schemas are compiled when they are first needed, not when the service starts: all of the table's take a
 * third of a start's time, and most of a service's life is spent in few of its routes. That each compiles is tested.
 */

/** In the order in which they are looked at, with the names by which Fastify and `describe` know them. */
const parts = [
  ['params', 'params'],
  ['body', 'body'],
  ['query', 'querystring'],
] as const;

/** Holds a request to its route's schemas, and fills in what has a default. Errors: `invalid_request`, which names the field. */
export function checkRequest(request: FastifyRequest, route: Route): void {
  for (const [part, place] of parts) {
    const schema = route[part];
    if (!schema) continue;
    const fits = request.compileValidationSchema(schema, place);
    if (!fits(request[part] ?? null)) throw new ApiError('invalid_request', { detail: describe(fits.errors ?? [], place) });
  }
}

const json = 'application/json; charset=utf-8';

/** Sends what a handler gave, with the fields that the route's schema has and no other. */
export function sendReply(reply: FastifyReply, { reply: { status, ...made } }: Route, result: unknown): FastifyReply {
  reply.code(status);
  if (result instanceof JsonText) return reply.type(json).send(result.bytes);
  if (!('body' in made) || result === undefined) return reply.send(result);
  // The very object, since by it Fastify finds what it has compiled.
  const write = reply.compileSerializationSchema(made.body as TSchema & Record<string, unknown>);
  return reply.type(json).send(write(result as Record<string, unknown>));
}
