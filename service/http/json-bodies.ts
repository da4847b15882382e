import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '#protocol/errors.ts';

/**
 * Bodies are JSON in UTF-8. An empty one is none, since clients name the type even where there is nothing to send.
 * Text that JSON can say and no column holds is refused here, once for all fields: nothing is stored otherwise than
 * it was sent. Files' names are judged where their other rules are, so that one
 * of a batch that is wrong holds up none of the others.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (!isUtf8(body)) return done(new ApiError('malformed_json', { detail: 'it is not UTF-8.' }));
    const text = body.toString();
    const looked = request.routeOptions.config.judgesTexts === true || !escapes.test(text);
    parse(request, text, (error, value: unknown) => done(error ?? (looked ? null : problemIn(value)), value));
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the handler finds texts in the body that cannot be stored. */
    readonly judgesTexts?: boolean;
  }
}

/** How a JSON text says a NUL character or a surrogate: the only ways that a storable text is not. */
const escapes = /\\u(?:0000|[dD][89a-fA-F])/;

/** Why a text cannot be stored, as the end of a sentence; null of one that can. */
export function unstorable(text: string): string | null {
  if (text.includes('\0')) return 'must not contain NUL characters';
  return text.isWellFormed() ? null : 'is not well-formed Unicode: it contains half of a surrogate pair';
}

/** A body may be millions of lists deep. */
const inShort = (name: string): string => (name.length > 200 ? `${name.slice(0, 200)}…` : name);

/** A text in a body that cannot be stored. Not recursive: nobody has looked yet how deep the body is. */
function problemIn(body: unknown): ApiError | null {
  const waiting: { readonly value: unknown; readonly name: string }[] = [{ value: body, name: '' }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, name } = next;
    if (typeof value === 'string') {
      const why = unstorable(value);
      if (why) return new ApiError('invalid_request', { detail: `The field ${inShort(name)} ${why}.` });
    } else if (Array.isArray(value)) {
      for (const [index, one] of value.entries()) waiting.push({ value: one, name: `${name}[${index}]` });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, one] of Object.entries(value)) {
        const why = unstorable(key);
        if (why)
          return new ApiError('invalid_request', {
            detail: `A name in ${name === '' ? 'the body' : `the field ${inShort(name)}`} ${why}.`,
          });
        waiting.push({ value: one, name: name === '' ? key : `${name}.${key}` });
      }
    }
  }
  return null;
}
