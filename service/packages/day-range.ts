import { ApiError } from '#protocol/errors.ts';

const day = /^\d{4}-\d{2}-\d{2}$/;
const dayMilliseconds = 24 * 3600 * 1000;

export type Bound = { readonly op: '>=' | '<=' | '<'; readonly at: Date };

function moment(text: string, field: string): Date {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw new ApiError('invalid_request', { detail: `${field}: there is no such moment as ${text}.` });
  return at;
}

/** The start of a time range: the given moment, or the start of the given (UTC) day. */
export function startOf(text: string, field: string): Bound {
  return { op: '>=', at: moment(text, field) };
}

/** The end of a time range: the given moment, or the end of the given (UTC) day. */
export function endOf(text: string, field: string): Bound {
  const at = moment(text, field);
  return day.test(text) ? { op: '<', at: new Date(at.getTime() + dayMilliseconds) } : { op: '<=', at };
}
