import { limits } from './limits.ts';
import {
  type Alternative,
  type AuthorizationField,
  type Direction,
  type FieldFormat,
  isProvider,
  type Provider,
  providers,
} from './providers.ts';

/** One problem in a request for a connection; `field` is its path in the body (`authorization.region`). */
interface AuthorizationProblem {
  readonly field: string;
  /** A sentence for the user who filled in the form. */
  readonly message: string;
}

/**
 * Validates a connection's provider, direction and `authorization` against the catalogue. Fields that the provider does
 * not have are not validated: they are ignored and never stored (contract/conventions.md §3).
 *
 * @param mode `update`: what is not sent stays unchanged, so that nothing is missing
 * @returns every problem, in the order of the fields; empty if all is well
 */
export function checkAuthorization(
  provider: string,
  authorization: Readonly<Record<string, unknown>>,
  direction: Direction,
  mode: 'create' | 'update',
): readonly AuthorizationProblem[] {
  if (!isProvider(provider)) return [{ field: 'provider', message: `There is no provider ${JSON.stringify(provider)}.` }];
  const known: Provider = providers[provider];
  const problems: AuthorizationProblem[] = [];
  if (!known.directions.includes(direction)) {
    problems.push({ field: 'direction', message: `${known.label} takes ${known.directions.join(' and ')} only, not ${direction}.` });
  }
  const isSent = (field: AuthorizationField): boolean => authorization[field.name] !== undefined;
  const check = (fields: readonly AuthorizationField[], complete: boolean) => {
    for (const field of fields) {
      const message = isSent(field)
        ? valueProblem(field, authorization[field.name])
        : complete && field.required
          ? missing(field)
          : undefined;
      if (message !== undefined) problems.push({ field: `authorization.${field.name}`, message });
    }
  };
  const begun = known.alternatives.filter((one) => one.fields.some(isSent));
  if (begun.length > 1) {
    problems.push({ field: 'authorization', message: `Choose one of: ${known.alternatives.map(describe).join('; ')}. Both were sent.` });
  } else if (begun.length === 0 && known.alternatives.length > 0 && mode === 'create') {
    problems.push({ field: 'authorization', message: `Give one of: ${known.alternatives.map(describe).join('; ')}.` });
  }
  // A partly filled alternative must be completed. If both are partly filled, the user must first choose one.
  for (const one of begun) check(one.fields, mode === 'create' && begun.length === 1);
  check(known.fields, mode === 'create');
  return problems;
}

const describe = (one: Alternative): string => `${one.label} (${one.fields.map((field) => field.name).join(', ')})`;
const missing = (field: AuthorizationField): string => `${field.label} is needed.`;

function valueProblem(field: AuthorizationField, value: unknown): string | undefined {
  if (typeof value !== 'string') return `${field.label} must be a string.`;
  if (value.trim() === '') return field.required ? `${field.label} must not be empty.` : undefined;
  if (value.length > limits.authorizationValueLength) return `${field.label} is longer than ${limits.authorizationValueLength} characters.`;
  if (!field.multiline && hasControlCharacter(value)) return `${field.label} must be one line without control characters.`;
  if (field.values && !field.values.includes(value)) {
    return field.values.length === 1
      ? `${field.label} must be ${field.values[0]}.`
      : `${field.label} must be one of ${field.values.join(', ')}.`;
  }
  return field.format === undefined || formats[field.format].fits(value)
    ? undefined
    : `${field.label} must be ${formats[field.format].words}.`;
}

const hasControlCharacter = (value: string): boolean => [...value].some((character) => character < ' ' || character === '\u007f');

interface Format {
  readonly words: string;
  fits(value: string): boolean;
}

const isWebAddress = (value: string): boolean => /^https?:\/\/[^\s]+$/.test(value) && URL.canParse(value);

const formats: Readonly<Record<FieldFormat, Format>> = {
  endpoint: {
    words: 'a host name or an address that begins with https:// or http://',
    fits: (value) => isWebAddress(value) || (/^[a-z0-9.-]+(:\d{1,5})?$/i.test(value) && URL.canParse(`https://${value}`)),
  },
  url: { words: 'an address that begins with https:// or http://', fits: isWebAddress },
  email: { words: 'an e-mail address', fits: (value) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) },
  pem: {
    words: 'the whole key in PEM, with its BEGIN and END lines',
    fits: (value) => /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+-----END [A-Z ]*PRIVATE KEY-----/.test(value),
  },
  external_id: {
    words: '2 to 1224 letters, digits or characters of +=,.@:/_-',
    fits: (value) => /^[A-Za-z0-9+=,.@:/_-]{2,1224}$/.test(value),
  },
  // It becomes a part of host names.
  region: { words: 'letters, digits and . _ -', fits: (value) => /^[A-Za-z0-9._-]{1,64}$/.test(value) },
  role_arn: { words: 'an ARN of a role (arn:aws:iam::…:role/…)', fits: (value) => /^arn:[a-z-]+:iam::\d{12}:role\/.+$/.test(value) },
};
