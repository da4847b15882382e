import { type ErrorName, errorCatalogue } from '#protocol/errors.ts';

/**
 * Errors that no page of the agent meets: the agent deals with them itself, or only a program can make the call that
 * they answer. Every other one is said in each of the page's languages.
 */
export const neverMet = [
  'malformed_json',
  'unsupported_media_type',
  'idempotency_mismatch',
  'key_not_changeable',
  'signature_invalid',
  'blueprint_expired',
  'no_such_upload',
  'range_not_satisfiable',
  'precondition_failed',
  'token_expired',
  'token_used',
  'not_implemented',
] as const satisfies readonly ErrorName[];

export type MetError = Exclude<ErrorName, (typeof neverMet)[number]>;

export const metErrors = (Object.keys(errorCatalogue) as ErrorName[]).filter(
  (name): name is MetError => !neverMet.some((one) => one === name),
);
