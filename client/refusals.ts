import { type ErrorBody, placesIn } from '#protocol/errors/api-error.ts';
import { type HostedErrorName, hostedErrors } from '#protocol/errors/hosted.ts';
import { ServiceError } from './errors.ts';
import type { ApiReply } from './ports.ts';
import { retryAfterSeconds } from './retry-after.ts';

const nameByCode: ReadonlyMap<number, HostedErrorName> = new Map(
  (Object.keys(hostedErrors) as HostedErrorName[]).map((name) => [hostedErrors[name].code, name]),
);

/** The catalogue's entry of a code; `undefined` for an unknown code, for example from a newer service. */
const hostedErrorOf = (code: number): HostedErrorName | undefined => nameByCode.get(code);

/** Converts an error answer to a `ServiceError`; uses the catalogue if the service sent one of its codes. */
export function refusal(reply: ApiReply): ServiceError {
  const body = bodyOf(reply.text);
  const more = {
    answered: reply.status,
    retryAfter: retryAfterSeconds(reply.headers['retry-after']),
    traceId: reply.headers['x-trace-id'] ?? '',
  };
  const said = typeof body?.message === 'string' ? body.message.slice(0, 2_000) : undefined;
  const known = knownRefusal(body?.code, said, more);
  if (known) return known;
  const detail = said ?? (reply.text.length > 0 ? 'an answer that is not of Longshore' : 'an empty answer');
  // The service's own refusals have a number, which may be known only to a later version.
  const foreign = typeof body?.code !== 'number' || said === undefined;
  return new ServiceError('service_refused', { status: reply.status, detail }, { ...more, foreign });
}

function knownRefusal(
  code: unknown,
  said: string | undefined,
  more: { readonly answered: number; readonly retryAfter: number | null; readonly traceId?: string },
): ServiceError | null {
  const name = typeof code === 'number' ? hostedErrorOf(code) : undefined;
  if (name === undefined) return null;
  const message = said ?? hostedErrors[name].message;
  return new ServiceError(name, placesIn(hostedErrors[name].message, message) ?? {}, { ...more, message });
}

/** The refusal of one item in a batch answer; the same error as for a call with only this item. */
export function refusalIn({ code, message }: ErrorBody): ServiceError {
  const answered = hostedErrors[hostedErrorOf(code) ?? 'service_refused'].status;
  const more = { answered, retryAfter: null };
  return knownRefusal(code, message, more) ?? new ServiceError('service_refused', { status: answered, detail: message }, more);
}

function bodyOf(text: string): { code?: unknown; message?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
