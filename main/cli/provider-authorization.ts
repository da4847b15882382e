import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { checkAuthorization } from '#protocol/authorization.ts';
import { type AuthorizationField, type Direction, type Provider, type ProviderName, providers } from '#protocol/providers.ts';
import { exitCodes } from './exit-codes.ts';
import { CommandError } from './failure.ts';

export type Authorization = Readonly<Record<string, string>>;

/** Where a field's value may come from, the stronger one first: an option (no secrets), a file, a variable. */
export interface AuthorizationSources {
  /** `name=value` each. */
  readonly fields: readonly string[];
  /** JSON; `-` for stdin. */
  readonly file: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The environment variable of a field: `client_secret` → `LONGSHORE_PROVIDER_CLIENT_SECRET`. */
const variableOf = (field: string): string => `LONGSHORE_PROVIDER_${field.toUpperCase()}`;

/** All fields that a provider may want, whichever way of signing in is chosen. */
function fieldsOf(name: ProviderName): readonly AuthorizationField[] {
  const { fields, alternatives }: Provider = providers[name];
  return [...alternatives.flatMap((one) => one.fields), ...fields];
}

/** `name=value` each. What was given is not repeated in the error: it might be a secret. */
function parseFields(given: readonly string[]): Authorization {
  return Object.fromEntries(
    given.map((one) => {
      const [, name, value] = /^([a-z][a-z0-9_]*)=(.*)$/s.exec(one) ?? [];
      if (name === undefined || value === undefined) throw usage('A --field is given as name=value, for example destination=dailies.');
      return [name, value];
    }),
  );
}

/** A connection's `authorization` for this provider, complete and checked. Rejects with sentences that hold no value. */
export async function readAuthorization(
  provider: ProviderName,
  direction: Direction,
  { fields: given, file, env }: AuthorizationSources,
): Promise<Authorization> {
  const known = fieldsOf(provider);
  const fields = parseFields(given);
  for (const name of Object.keys(fields)) {
    const field = known.find((one) => one.name === name);
    if (!field) throw usage(`There is no field ${name} for ${provider}. It has ${known.map((one) => one.name).join(', ')}.`);
    if (field.secret) {
      throw usage(
        `${name} is a secret, and the command line shows in process lists. Give it in --authorization-file, or as ${variableOf(name)}.`,
      );
    }
  }
  const inFile = file === undefined ? {} : parseFile(file, await contentOf(file), known);
  const inEnvironment = Object.fromEntries(
    known.flatMap(({ name }) => {
      const value = env[variableOf(name)];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
  const authorization: Authorization = { ...inEnvironment, ...inFile, ...fields };
  const problems = checkAuthorization(provider, authorization, direction, 'create');
  if (problems.length > 0) {
    throw usage(problems.map(({ field, message }) => `${field.replace(/^authorization\./, '')}: ${message}`).join(' '));
  }
  return authorization;
}

const usage = (message: string): CommandError => new CommandError(exitCodes.usage, message);

async function contentOf(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CommandError(exitCodes.local, `The file ${file} cannot be read: ${(cause as NodeJS.ErrnoException).code ?? 'it failed'}.`, {
      cause,
    });
  }
}

function parseFile(file: string, content: string, known: readonly AuthorizationField[]): Authorization {
  const where = file === '-' ? 'What came on stdin' : `The file ${file}`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    // The parser's message repeats a piece of the text.
    throw usage(`${where} is not JSON. It looks like {"client_id": "…", "client_secret": "…"}.`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw usage(`${where} is not a JSON object of fields and texts.`);
  }
  for (const [name, value] of Object.entries(parsed)) {
    if (!known.some((field) => field.name === name)) {
      throw usage(`${where} has a field that there is not: ${name}. There are ${known.map((field) => field.name).join(', ')}.`);
    }
    if (typeof value !== 'string') throw usage(`${where} should hold a text as ${name}.`);
  }
  return parsed as Authorization;
}
