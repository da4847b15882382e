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

/** What is kept of a connection's credentials: the fields of its provider that have a value. */
export type KnownAuthorization = Readonly<Record<string, string>>;

type Sent = Readonly<Record<string, string>>;

/**
 * The credentials of a new connection, checked against the catalogue. Fields that the provider does not have are left
 * out. `invalid_request` names each field that is missing or has a wrong value.
 */
export function newAuthorization(provider: ProviderName, direction: Direction, sent: Sent): KnownAuthorization {
  requireNone(checkAuthorization(provider, sent, direction, 'create'));
  return pick(sent, allFields(providers[provider]));
}

/**
 * The credentials that stand after an update: what is not sent stays, and the whole has to be right again. Beginning
 * another way of proving oneself (a role, where it was a key) ends the one before. An optional field that is sent
 * empty is unset.
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
  return newAuthorization(provider, direction, { ...kept, ...pick(sent, allFields(providers[provider]), true) });
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
