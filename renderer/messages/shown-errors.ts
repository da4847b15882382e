import type { TransferCause } from '#protocol/agent/remedy.ts';
import { type ErrorName, errorCatalogue } from '#protocol/errors.ts';

/**
 * Errors that the agent's page never shows: the agent handles them itself, or only a program can make the call that
 * gets them. Every other error has a text in each language.
 */
export const neverShown = [
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
] as const satisfies readonly ErrorName[];

export type ShownError = Exclude<ErrorName, (typeof neverShown)[number]>;

/** What can go wrong, as the agent names it: an error of the catalogue, or a failure of moving bytes. */
export type Cause = ShownError | TransferCause;

export const shownErrors = (Object.keys(errorCatalogue) as ErrorName[]).filter(
  (name): name is ShownError => !neverShown.some((one) => one === name),
);
