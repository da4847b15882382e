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

type Fits = ReturnType<FastifyRequest['compileValidationSchema']>;

/**
 * Makes what holds a request to the route's schemas, and fills in what has a default. Errors: `invalid_request`, which
 * names the field.
 */
export function requestCheck(route: Route): (request: FastifyRequest) => void {
  const checks = parts.flatMap(([part, place]) => {
    const schema = route[part];
    return schema ? [{ part, place, schema, fits: undefined as Fits | undefined }] : [];
  });
  return (request) => {
    for (const check of checks) {
      const { part, place, schema } = check;
      check.fits ??= request.compileValidationSchema(schema, place);
      if (!check.fits(request[part] ?? null)) throw new ApiError('invalid_request', { detail: describe(check.fits.errors ?? [], place) });
    }
  };
}

const json = 'application/json; charset=utf-8';

/** Makes what sends a handler's result, with the fields that the route's schema has and no other. */
export function replySender({ reply: { status, ...made } }: Route): (reply: FastifyReply, result: unknown) => FastifyReply {
  let write: ((result: Record<string, unknown>) => string) | undefined;
  return (reply, result) => {
    reply.code(status);
    if (result instanceof JsonText) return reply.type(json).send(result.bytes);
    if (!('body' in made) || result === undefined) return reply.send(result);
    write ??= reply.compileSerializationSchema(made.body as TSchema & Record<string, unknown>);
    return reply.type(json).send(write(result as Record<string, unknown>));
  };
}
