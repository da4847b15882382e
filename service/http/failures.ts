import type { FastifyError } from 'fastify';
import { ApiError } from '#protocol/errors.ts';
import { fieldPath, pointerSteps } from '#protocol/field-path.ts';
import { limits } from '#protocol/limits.ts';
import type { RequestPart, SchemaProblem } from '#protocol/route-schemas.ts';
import { ruleOf } from '#protocol/schema-rules.ts';
import { newTraceId } from '#protocol/trace-context.ts';
import { StorageError, toApiError } from '#storage/errors.ts';
import type { Log } from '../log.ts';
import { quotaRefusal } from '../quotas/refusal.ts';
import { currentTrace } from '../tracing/current-trace.ts';

/**
 * Converts every failure into one of the error catalogue. Details that no caller should see are logged under the id of
 * the request's trace; the response contains only that id.
 */
export function toFailure(error: unknown, log: Log): ApiError {
  if (error instanceof ApiError && error.error !== 'internal') return error;
  const known = fromStorage(error) ?? quotaRefusal(error) ?? fromFastify(error) ?? fromDatabase(error, log);
  if (known) return known;
  const id = currentTrace()?.id ?? newTraceId();
  log.error({ err: error, trace_id: id }, 'a request failed unexpectedly');
  return new ApiError('internal', { id }, { cause: error });
}

function fromStorage(error: unknown): ApiError | null {
  if (!(error instanceof StorageError)) return null;
  const mapped = toApiError(error);
  return mapped.error === 'internal' ? null : mapped;
}

function fromFastify(error: unknown): ApiError | null {
  if (!(error instanceof Error)) return null;
  const { code, statusCode } = error as Partial<FastifyError>;
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('unsupported_media_type');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('body_too_large', { limit: limits.bodyBytes });
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new ApiError('malformed_json', { detail: 'it does not parse. Check its quotes, commas and encoding.' });
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError('invalid_request', { detail: `${error.message.replace(/\.$/, '')}.` });
  return null;
}

/** PostgreSQL's ways of saying "not now" (classes 53, 57, 58 and broken connections). */
function fromDatabase(error: unknown, log: Log): ApiError | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? String(error.code) : '';
  // JSON can contain a NUL character, but no text column can store it.
  if (code === '22021') return new ApiError('invalid_request', { detail: 'Text must not contain NUL characters.' }, { cause: error });
  if (code === '53100') {
    log.error({ err: error, onceAMinute: 'database full' }, 'the disk of the database is full');
    return new ApiError('service_database_full', {}, { cause: error });
  }
  const gone = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE'].includes(code) || /^(53|57|58|08)/.test(code);
  if (!gone && !/Connection terminated|is not queryable|timeout exceeded when trying to connect/.test(error.message)) return null;
  log.error({ err: error, onceAMinute: 'database gone' }, 'the database does not answer');
  return new ApiError('unavailable', {}, { cause: error });
}

const partNames: Readonly<Record<RequestPart, string>> = {
  body: 'field',
  query: 'query parameter',
  params: 'path parameter',
};

/**
 * The error for a request that does not match its schema. Its sentence names the field: `The field recipients[2] must
 * be an e-mail address.`
 */
export function invalidRequest(problems: readonly SchemaProblem[], part: RequestPart): ApiError {
  // For alternatives, the last problem is the summary ("must match a schema in anyOf").
  return new ApiError('invalid_request', { detail: describe(problems.at(-1)!, part) });
}

function describe(problem: SchemaProblem, part: RequestPart): string {
  const steps = pointerSteps(problem.instancePath);
  const partName = partNames[part];
  const { params } = problem;
  if (problem.keyword === 'required') {
    return `The ${partName} ${fieldPath([...steps, String(params['missingProperty'])])} is missing.`;
  }
  const what = ruleOf(problem);
  if (steps.length === 0) return problem.keyword === 'type' ? 'The body must be a JSON object.' : `The body ${what}.`;
  return `The ${partName} ${fieldPath(steps)} ${what}.`;
}
