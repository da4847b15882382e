import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
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

/** Takes variables that are set to nothing as not set, as container files and unit files leave them. */
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

/** Where a running agent answers: an http(s) address, or `unix:/path` of its socket. */
export function parseAgentUrl(text: string): string {
  const path = socketPath(text);
  if (path !== null) return `unix:${path}`;
  if (text.startsWith('unix:')) throw new InvalidArgumentError('Give an absolute path after unix:, for example unix:/run/longshore.sock.');
  return parseUrl(text);
}

/** A secret given as it is, or by a file whose whole content, but for white space around it, it is. */
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
