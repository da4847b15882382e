import type { TSchema } from 'typebox';
import type { Route } from './route.ts';

/*
 * A route's schemas are compiled when they are first needed, not when a program starts: all of a table's take up to a
 * third of a start's time, and most of a program's life is spent in few of its routes. That each compiles is tested.
 */

/** In the order of validation, with Fastify's names. */
const parts = [
  ['params', 'params'],
  ['body', 'body'],
  ['query', 'querystring'],
] as const;

export type RequestPart = (typeof parts)[number][0];

/** A validation error; only the fields that a message needs. */
export interface SchemaProblem {
  readonly keyword: string;
  /** Location of the value, as a JSON pointer. */
  readonly instancePath: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

type Fits = ((value: unknown) => boolean) & { errors?: readonly SchemaProblem[] | null };

/** The part of Fastify's request that is used here. */
interface CheckableRequest extends Readonly<Record<RequestPart, unknown>> {
  compileValidationSchema(schema: TSchema, part: (typeof parts)[number][1]): Fits;
}

/** Creates the validator of a route's requests; it also fills in defaults. It throws the `refusal`. */
export function requestCheck(
  route: Route,
  refusal: (problems: readonly SchemaProblem[], part: RequestPart) => Error,
): (request: CheckableRequest) => void {
  const checks = parts.flatMap(([part, name]) => {
    const schema = route[part];
    return schema ? [{ part, name, schema, fits: undefined as Fits | undefined }] : [];
  });
  return (request) => {
    for (const check of checks) {
      const { part, name, schema } = check;
      check.fits ??= request.compileValidationSchema(schema, name);
      if (!check.fits(request[part] ?? null)) throw refusal(check.fits.errors ?? [], part);
    }
  };
}

type Fields = Record<string, unknown>;

/** The part of Fastify's reply that is used here. */
interface WritableReply {
  compileSerializationSchema(schema: TSchema & Fields): (fields: Fields) => string;
}

/** Content type of what `replyWriter` writes. */
export const jsonType = 'application/json; charset=utf-8';

/**
 * Creates the serializer of a handler's result: JSON with only the fields of the route's schema. `null`: the reply has
 * no body.
 */
export function replyWriter({ reply: made }: Route): ((reply: WritableReply, result: unknown) => string) | null {
  if (!('body' in made)) return null;
  const schema = made.body as TSchema & Fields;
  let write: ((fields: Fields) => string) | undefined;
  return (reply, result) => {
    write ??= reply.compileSerializationSchema(schema);
    return write(result as Fields);
  };
}
