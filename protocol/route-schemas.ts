import type { TSchema } from 'typebox';
import type { Route } from './route.ts';

/*
 * A route's schemas are compiled when they are first needed, not when a program starts: all of a table's take up to a
 * third of a start's time, and most of a program's life is spent in few of its routes. That each compiles is tested.
 */

/** In the order in which they are looked at, with the names by which Fastify knows them. */
const parts = [
  ['params', 'params'],
  ['body', 'body'],
  ['query', 'querystring'],
] as const;

export type RequestPart = (typeof parts)[number][0];

/** Why a value does not fit its schema; as much of it as a sentence needs. */
export interface SchemaProblem {
  readonly keyword: string;
  /** Where the value stands, as a JSON pointer. */
  readonly instancePath: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

type Fits = ((value: unknown) => boolean) & { errors?: readonly SchemaProblem[] | null };

/** As much of Fastify's request as is needed here. */
export interface CheckableRequest extends Readonly<Record<RequestPart, unknown>> {
  compileValidationSchema(schema: TSchema, part: (typeof parts)[number][1]): Fits;
}

/** Makes what holds a request to the route's schemas, and fills in what has a default. It throws the `refusal`. */
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

/** As much of Fastify's reply as is needed here. */
export interface WritableReply {
  compileSerializationSchema(schema: TSchema & Fields): (fields: Fields) => string;
}

/** The type of what `replyWriter` writes. */
export const jsonType = 'application/json; charset=utf-8';

/** Makes what writes a handler's result as JSON, with the fields that the route's schema has and no other; `null`: its reply has no body. */
export function replyWriter({ reply: made }: Route): ((reply: WritableReply, result: unknown) => string) | null {
  if (!('body' in made)) return null;
  const schema = made.body as TSchema & Fields;
  let write: ((fields: Fields) => string) | undefined;
  return (reply, result) => {
    write ??= reply.compileSerializationSchema(schema);
    return write(result as Fields);
  };
}
