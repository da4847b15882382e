import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isEmailAddress } from '#protocol/email.ts';
import { limits } from '#protocol/limits.ts';
import { defaultDataDir } from '../folders.ts';
import { type LogLevel, logLevels } from '../log-levels.ts';
import { exitCodes } from './exit-codes.ts';
import { CommandError } from './failure.ts';
import { socketPath } from './listen.ts';

/** Options that several commands share. */

export const defaultServiceUrl = 'http://127.0.0.1:8080';
export const defaultAgentUrl = 'http://127.0.0.1:8090';

export const dataDirOption = (): Option =>
  new Option('--data-dir <folder>', 'where Longshore keeps its data').env('LONGSHORE_DATA_DIR').default(defaultDataDir());

export const serviceUrlOption = (): Option =>
  new Option('--service-url <url>', 'the service to work with').env('LONGSHORE_SERVICE_URL').default(defaultServiceUrl).argParser(parseUrl);

export const apiKeyOption = (): Option =>
  new Option('--api-key <key>', 'API key to sign in with; shows in process lists, so prefer --api-key-file').env('LONGSHORE_API_KEY');

export const apiKeyFileOption = (): Option => new Option('--api-key-file <file>', 'file with the API key').env('LONGSHORE_API_KEY_FILE');

export const logLevelOption = (): Option =>
  new Option('--log-level <level>', 'how much to log on stderr')
    .env('LONGSHORE_LOG_LEVEL')
    .choices(logLevels)
    .default('warn' satisfies LogLevel);

/** Treats empty environment variables as unset: container files and unit files often leave them empty. */
export function forgetEmptyVariables(commands: readonly Command[], env: NodeJS.ProcessEnv): void {
  for (const { envVar } of commands.flatMap((command) => command.options)) {
    if (envVar !== undefined && env[envVar] === '') delete env[envVar];
  }
}

/** An http(s) address without a slash at the end. */
export function parseUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new InvalidArgumentError('Give an address that begins with http:// or https://.');
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new InvalidArgumentError('Give the address alone, without user name, ? or #.');
  }
  return url.href.replace(/\/+$/, '');
}

/** For an option that takes several e-mail addresses. */
export function collectEmails(text: string, before: readonly string[] = []): readonly string[] {
  if (!isEmailAddress(text)) throw new InvalidArgumentError('Give e-mail addresses, for example mia@example.com.');
  return [...before, text];
}

/** A day or a moment, as RFC 3339 in UTC. */
export function parseMoment(text: string): string {
  const found = new Date(text);
  if (Number.isNaN(found.getTime())) throw new InvalidArgumentError('Give a day (2027-01-31) or a moment (2027-01-31T18:00:00Z).');
  return found.toISOString();
}

const secondsOf = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** Seconds: `90m`, `4h`, `2d`, or a plain number of seconds. */
export function parseDuration(text: string): number {
  const [, number, unit] = /^(\d+)([smhd]?)$/.exec(text.trim()) ?? [];
  const seconds = Number(number) * secondsOf[(unit ?? '') as keyof typeof secondsOf];
  if (!Number.isSafeInteger(seconds) || seconds < 1)
    throw new InvalidArgumentError('Give a time like 90m, 4h, 2d or 14400, which are seconds.');
  return seconds;
}

/** The deadline of a transfer (contract/agent.md §5.1). */
export const dueOption = (): Option =>
  new Option('--due <moment>', 'when it should be over: others may wait for it (2027-01-31T18:00:00Z)').argParser(parseMoment);

const bytesOf = { '': 1, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

/** The maximum size of a request body in bytes, at least the smallest chunk: `100MB`, `95MiB` or a plain number. */
export function parseLargestBody(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?(KB|MB|GB|KiB|MiB|GiB|)$/.exec(text.trim()) ?? [];
  if (number === undefined) throw new InvalidArgumentError('Give a size like 100MB, 95MiB or 100000000.');
  const bytes = Math.floor(Number(number) * bytesOf[unit as keyof typeof bytesOf]);
  if (bytes < limits.minChunkSize || bytes > Number.MAX_SAFE_INTEGER)
    throw new InvalidArgumentError('A part of a file has 5 MiB at least: let bodies of that size through, and give 5MiB or more.');
  return bytes;
}

/** A count with a minimum. */
export const parseCount =
  (least: number) =>
  (text: string): number => {
    const count = /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (!(count >= least)) throw new InvalidArgumentError(`Give a whole number from ${least}.`);
    return count;
  };

/** The address of a running agent: http(s), or `unix:/path` for its socket. */
export function parseAgentUrl(text: string): string {
  const path = socketPath(text);
  if (path !== null) return `unix:${path}`;
  if (text.startsWith('unix:')) throw new InvalidArgumentError('Give an absolute path after unix:, for example unix:/run/longshore.sock.');
  return parseUrl(text);
}

/** A secret given directly or by a file. The file's whole content without surrounding white space is the secret. */
export function readSecret(given: string | undefined, file: string | undefined, what: string): string | undefined {
  if (given !== undefined && given !== '') return given;
  if (file === undefined || file === '') return undefined;
  let secret: string;
  try {
    secret = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new CommandError(exitCodes.local, `The file ${file} with the ${what} cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (secret === '') throw new CommandError(exitCodes.usage, `The file ${file} should hold the ${what}, and it is empty.`);
  return secret;
}
