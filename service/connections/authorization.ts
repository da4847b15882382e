import { checkAuthorization } from '#protocol/authorization.ts';
import { ApiError } from '#protocol/errors.ts';
import {
  type Alternative,
  type AuthorizationField,
  type Direction,
  type Provider,
  type ProviderName,
  providers,
} from '#protocol/providers.ts';
import type { Seal } from '../seal.ts';

/** The stored credentials of a connection: the fields of its provider that have a value. */
export type KnownAuthorization = Readonly<Record<string, string>>;

type Sent = Readonly<Record<string, string>>;

/**
 * The credentials of a new connection, checked against the catalogue. Fields that the provider does not have are
 * ignored. `invalid_request` names each field that is missing or has a wrong value.
 */
export function newAuthorization(provider: ProviderName, direction: Direction, sent: Sent): KnownAuthorization {
  requireNone(checkAuthorization(provider, sent, direction, 'create'));
  return pick(sent, allFields(providers[provider]));
}

/**
 * The credentials after an update: omitted fields keep their value, and the result is validated as a whole. Starting
 * another authentication method (a role instead of a key) removes the previous one. An optional field that is sent
 * empty is unset.
 * The fields that decide where the secrets are sent, or under which identity, can change only together with all
 * secrets. Otherwise a user who may change a connection could send another user's secrets to their own address.
 */
export function changedAuthorization(
  provider: ProviderName,
  direction: Direction,
  known: KnownAuthorization,
  sent: Sent,
): KnownAuthorization {
  requireNone(checkAuthorization(provider, sent, direction, 'update'));
  const { alternatives }: Provider = providers[provider];
  const chosen = alternatives.find((one) => one.fields.some(({ name }) => sent[name] !== undefined));
  const ended = chosen ? alternatives.filter((one) => one !== chosen).flatMap((one) => one.fields) : [];
  const kept = Object.fromEntries(Object.entries(known).filter(([name]) => !ended.some((field) => field.name === name)));
  const after = newAuthorization(provider, direction, { ...kept, ...pick(sent, allFields(providers[provider]), true) });
  requireNone(keptSecrets(allFields(providers[provider]), kept, sent, after));
  return after;
}

/** The secrets that an update would keep although it changes the fields they are bound to. */
function keptSecrets(fields: readonly AuthorizationField[], before: KnownAuthorization, sent: Sent, after: KnownAuthorization) {
  const effective = (values: KnownAuthorization, { name, default: usual }: AuthorizationField) => values[name] ?? usual;
  const moved = fields.find((field) => field.bindsSecrets && effective(before, field) !== effective(after, field));
  if (!moved) return [];
  const left = fields.filter(
    ({ name, secret }) => secret && before[name] !== undefined && after[name] !== undefined && !Object.hasOwn(sent, name),
  );
  return left.map(({ name, label }) => ({
    field: `authorization.${name}`,
    message: `Give the ${label} again, since authorization.${moved.name} changes.`,
  }));
}

const allFields = ({ fields, alternatives }: Provider): readonly AuthorizationField[] => [
  ...fields,
  ...alternatives.flatMap((one: Alternative) => one.fields),
];

function pick(sent: Sent, fields: readonly AuthorizationField[], empty = false): KnownAuthorization {
  const entries = fields.flatMap(({ name }) => {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    return value === undefined || (value.trim() === '' && !empty) ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

function requireNone(problems: ReturnType<typeof checkAuthorization>): void {
  if (problems.length === 0) return;
  throw new ApiError('invalid_request', { detail: problems.map(({ field, message }) => `${field}: ${message}`).join(' ') });
}

/**
 * A connection's credentials in their stored form: sealed for that row, so that they cannot be opened after a copy to
 * another row.
 */
export function sealAuthorization(seal: Seal, connectionId: string, authorization: KnownAuthorization): Buffer {
  return seal.seal(purpose(connectionId), JSON.stringify(authorization));
}

/** Never log or return the result. Throws if the row was sealed by a service with another `secret.key`. */
export function openAuthorization(seal: Seal, row: { readonly id: string; readonly sealed_authorization: Buffer }): KnownAuthorization {
  return JSON.parse(seal.open(purpose(row.id), row.sealed_authorization)) as KnownAuthorization;
}

/** Null where `openAuthorization` throws: then the credentials have to be entered again. */
export function openIfPossible(...args: Parameters<typeof openAuthorization>): KnownAuthorization | null {
  try {
    return openAuthorization(...args);
  } catch {
    return null;
  }
}

const purpose = (connectionId: string): string => `connection ${connectionId}`;
