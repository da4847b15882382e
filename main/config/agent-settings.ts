import { isAbsolute } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { AgentListen } from '#agent-api/server.ts';
import { parseAgentListen, showAgentListen } from '../cli/listen.ts';
import { defaultServiceUrl, parseUrl } from '../cli/options.ts';
import { defaultDataDir } from '../folders.ts';
import { type LogLevel, logLevels } from '../log-levels.ts';

/** An agent's configuration at its start. */
export interface AgentConfig {
  readonly listen: AgentListen;
  readonly requireToken: boolean;
  readonly serviceUrl: string;
  readonly apiKey: string | undefined;
  readonly apiKeyFile: string | undefined;
  readonly dataDir: string;
  readonly allowHost: readonly string[];
  readonly allowFolder: readonly string[];
  readonly otlpUrl: string | undefined;
  readonly otlpHeaders: string | undefined;
  readonly traceRatio: number;
  readonly logLevel: LogLevel;
}

export interface Setting<T> {
  /**
   * The flag's definition, e.g. `--listen <address>`, or `--require-token [yes|no]` with an optional value. The name in
   * the file is derived from it.
   */
  readonly flags: string;
  readonly variable: string;
  /** The text for the help and the documents. */
  readonly meaning: string;
  /** The default as the documents show it, where it is not `show(fallback)`. */
  readonly usually?: string;
  readonly fallback: T;
  /** The value of the flag when it is given without one. */
  readonly alone?: T;
  /** @throws InvalidArgumentError with what to give instead */
  readonly parse: (text: string) => T;
  readonly show: (value: T) => string;
  /** A path: in the file it is relative to the file's folder. */
  readonly path?: true;
  /** Accepts several values: a list in the file, comma-separated elsewhere. */
  readonly several?: true;
  /** All allowed values, where there are only a few. */
  readonly choices?: readonly string[];
  /** A secret: never shown, and not accepted from the file, which other users may be able to read. */
  readonly secret?: true;
}

/** The single table behind flags, environment, file, help and documents. All of them use its order. */
export const agentSettings: { readonly [K in keyof AgentConfig]: Setting<AgentConfig[K]> } = {
  listen: {
    flags: '--listen <address>',
    variable: 'LONGSHORE_LISTEN',
    meaning: 'where its API and page listen: HOST:PORT, or unix:/path of a Unix socket',
    fallback: { host: '127.0.0.1', port: 8090 },
    parse: parseAgentListen,
    show: showAgentListen,
  },
  requireToken: {
    flags: '--require-token [yes|no]',
    variable: 'LONGSHORE_REQUIRE_TOKEN',
    meaning: 'whether every call needs a token on this machine too; its page and the commands of this user have it by themselves',
    fallback: false,
    alone: true,
    parse: parseYesNo,
    show: (yes) => (yes ? 'yes' : 'no'),
  },
  serviceUrl: {
    flags: '--service-url <url>',
    variable: 'LONGSHORE_SERVICE_URL',
    meaning: 'the service to work with',
    fallback: defaultServiceUrl,
    parse: parseUrl,
    show: (url) => url,
  },
  apiKey: {
    flags: '--api-key <key>',
    variable: 'LONGSHORE_API_KEY',
    meaning: 'API key to sign in with; shows in process lists, so prefer --api-key-file',
    fallback: undefined,
    usually: 'none: a person signs in',
    parse: (key) => key,
    show: (key) => (key === undefined ? '' : '(not shown)'),
    secret: true,
  },
  apiKeyFile: {
    flags: '--api-key-file <file>',
    variable: 'LONGSHORE_API_KEY_FILE',
    meaning: 'file with the API key',
    fallback: undefined,
    usually: 'none',
    parse: (file) => file,
    show: (file) => file ?? '',
    path: true,
  },
  dataDir: {
    flags: '--data-dir <folder>',
    variable: 'LONGSHORE_DATA_DIR',
    meaning: 'where Longshore keeps its data; the agent in its folder agent/',
    fallback: defaultDataDir(),
    usually: '`~/.local/share/longshore`',
    parse: (folder) => folder,
    show: (folder) => folder,
    path: true,
  },
  allowHost: {
    flags: '--allow-host <name...>',
    variable: 'LONGSHORE_ALLOW_HOST',
    meaning: 'names by which it may be called by those who need a token',
    fallback: [],
    usually: 'none',
    parse: parseHosts,
    show: (hosts) => hosts.join(', '),
    several: true,
  },
  allowFolder: {
    flags: '--allow-folder <folder...>',
    variable: 'LONGSHORE_ALLOW_FOLDER',
    meaning: 'folders that callers from afar may use, in place of the setting `allowed_roots`',
    fallback: [],
    usually: 'as set on its page; at first the home folder',
    parse: parseFolders,
    show: (folders) => folders.join(', '),
    several: true,
  },
  otlpUrl: {
    flags: '--otlp-url <url>',
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning: 'a collector of OpenTelemetry that gets traces of transfers, as http://127.0.0.1:4318',
    usually: 'none',
    fallback: undefined,
    parse: parseUrl,
    show: (url) => url ?? '',
  },
  otlpHeaders: {
    flags: '--otlp-headers <headers>',
    variable: 'OTEL_EXPORTER_OTLP_HEADERS',
    meaning: 'what the collector asks to see, as name=value,other=value',
    usually: 'none',
    fallback: undefined,
    parse: (headers) => headers,
    show: () => '',
    secret: true,
  },
  traceRatio: {
    flags: '--trace-ratio <number>',
    variable: 'OTEL_TRACES_SAMPLER_ARG',
    meaning: 'share of transfers whose traces are kept, from 0 to 1',
    fallback: 1,
    parse: parseRatio,
    show: String,
  },
  logLevel: {
    flags: '--log-level <level>',
    variable: 'LONGSHORE_LOG_LEVEL',
    meaning: 'how much to log on stderr',
    fallback: 'warn',
    parse: parseLogLevel,
    show: (level) => level,
    choices: logLevels,
  },
};

export type AgentSettingName = keyof AgentConfig;
export const agentSettingNames = Object.keys(agentSettings) as AgentSettingName[];

/** The flag alone: `--api-key-file`. */
export const flagOf = (name: AgentSettingName): string => agentSettings[name].flags.split(' ')[0]!;
/** The name in the file: `api_key_file`. */
export const keyOf = (name: AgentSettingName): string => flagOf(name).slice(2).replaceAll('-', '_');

function parseHosts(text: string): readonly string[] {
  const hosts = text.split(',').map((host) => host.trim());
  if (hosts.every((host) => /^[a-z0-9_](?:[a-z0-9._:-]*[a-z0-9])?$/i.test(host))) return hosts;
  throw new InvalidArgumentError('Give names of hosts, without http:// and port, for example files.example.com.');
}

function parseYesNo(text: string): boolean {
  if (/^(yes|true)$/i.test(text)) return true;
  if (/^(no|false)$/i.test(text)) return false;
  throw new InvalidArgumentError('Give yes or no.');
}

function parseRatio(text: string): number {
  const ratio = Number(text);
  if (text.trim() !== '' && ratio >= 0 && ratio <= 1) return ratio;
  throw new InvalidArgumentError('Give a number from 0 to 1, for example 0.1.');
}

function parseLogLevel(text: string): LogLevel {
  if ((logLevels as readonly string[]).includes(text)) return text as LogLevel;
  throw new InvalidArgumentError(`Allowed choices are ${logLevels.join(', ')}.`);
}

/** The settings as table rows for the documents. */
export const settingRows = (): string[] =>
  agentSettingNames.map((name) => {
    const { variable, meaning, usually, fallback, show, secret, choices } = agentSettings[name] as Setting<unknown>;
    const key = secret ? '' : `\`${keyOf(name)}\``;
    const cells = [
      `\`${flagOf(name)}\``,
      `\`${variable}\``,
      key,
      usually ?? `\`${show(fallback)}\``,
      choices ? `${meaning}: ${choices.join(', ')}` : meaning,
    ];
    return `| ${cells.join(' | ')} |`;
  });

function parseFolders(text: string): readonly string[] {
  const folders = text.split(',').map((folder) => folder.trim());
  const wrong = folders.find((folder) => folder !== '~' && !folder.startsWith('~/') && !isAbsolute(folder));
  if (wrong !== undefined) throw new InvalidArgumentError(`Give whole paths, for example /media; "${wrong}" is none.`);
  return folders;
}
