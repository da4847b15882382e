import { isUtf8 } from 'node:buffer';
import { errorCodes, type FastifyInstance } from 'fastify';
import { ApiError } from '#protocol/errors.ts';
import { isTooDeep, mostLevels } from '#protocol/json-depth.ts';

/**
 * Bodies are JSON in UTF-8. An empty body counts as none, since clients send the content type even without a body.
 * Text that JSON can express but no column can store is refused here, once for all fields, so that every text is
 * stored exactly as it was sent. File names are checked with their other rules instead, so that one wrong file does
 * not reject its whole batch.
 * So are bodies that are nested so deep that no call could mean it: to write one out again would take more stack than there is.
 * A field called `__proto__`, and one called `constructor` that contains a `prototype`, are removed at any depth: no
 * resource has them, and unknown fields are ignored.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (!isUtf8(body)) return done(new ApiError('malformed_json', { detail: 'it is not UTF-8.' }));
    const text = body.toString();
    if (isTooDeep(text))
      return done(new ApiError('invalid_request', { detail: `The body is nested more than ${mostLevels} levels deep.` }));
    const looked = request.routeOptions.config.checksTexts === true || !escapes.test(text);
    parse(request, text, (error, value: unknown) => done(error ?? (looked ? null : problemIn(value)), value));
  });
}

/** Mail programs send the one form that there is (RFC 8058), whose content says nothing. */
export function acceptUnsubscribeForm(app: FastifyInstance): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer', bodyLimit: 1_024 }, (request, _body, done) => {
    if (request.routeOptions.config.acceptsForm === true) return done(null, undefined);
    done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE('application/x-www-form-urlencoded'));
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set where the handler itself checks the body for texts that cannot be stored. */
    readonly checksTexts?: boolean;
    readonly acceptsForm?: boolean;
  }
}

/** How JSON escapes a NUL character or a surrogate. Only these make a text impossible to store. */
const escapes = /\\u(?:0000|[dD][89a-fA-F])/;

/** The reason why a text cannot be stored, as the end of a sentence; null if it can be stored. */
function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'must not contain NUL characters';
  return text.isWellFormed() ? null : 'is not well-formed Unicode: it contains half of a surrogate pair';
}

/** Shortens a field's path for the message: a body may be hundreds of lists deep. */
const shorten = (name: string): string => (name.length > 200 ? `${name.slice(0, 200)}…` : name);

/** Finds a text in a body that cannot be stored. */
function problemIn(body: unknown): ApiError | null {
  const waiting: { readonly value: unknown; readonly name: string }[] = [{ value: body, name: '' }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, name } = next;
    if (typeof value === 'string') {
      const why = textProblem(value);
      if (why) return new ApiError('invalid_request', { detail: `The field ${shorten(name)} ${why}.` });
    } else if (Array.isArray(value)) {
      for (const [index, one] of value.entries()) waiting.push({ value: one, name: `${name}[${index}]` });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, one] of Object.entries(value)) {
        const why = textProblem(key);
        if (why)
          return new ApiError('invalid_request', {
            detail: `A name in ${name === '' ? 'the body' : `the field ${shorten(name)}`} ${why}.`,
          });
        waiting.push({ value: one, name: name === '' ? key : `${name}.${key}` });
      }
    }
  }
  return null;
}
