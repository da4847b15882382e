import { dirname } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { exitCodes } from '../cli/exit-codes.ts';
import { CommandError } from '../cli/failure.ts';
import { printable } from '../cli/format.ts';
import { readSecret } from '../cli/options.ts';
import { absolutePath } from '../folders.ts';
import {
  type AgentConfig,
  type AgentSettingName,
  agentSettingNames,
  agentSettings,
  flagOf,
  keyOf,
  type Setting,
} from './agent-settings.ts';
import type { ConfigFile, Entry, Provisioning } from './read-file.ts';

/** The source of a value, in order of priority: flag, environment, file, default. */
type Origin =
  | { readonly kind: 'flag' }
  | { readonly kind: 'environment' }
  | { readonly kind: 'file'; readonly file: string; readonly line: number }
  | { readonly kind: 'default' };

const weight: Readonly<Record<Origin['kind'], number>> = { flag: 3, environment: 2, file: 1, default: 0 };

export interface Resolved {
  readonly config: AgentConfig;
  readonly origins: Readonly<Record<AgentSettingName, Origin>>;
  /** What the file wants to be there, and which file; `null` without one. */
  readonly provisioning: (Provisioning & { readonly file: string }) | null;
}

/** Values from the command line and the environment. */
export interface Given {
  readonly value: (name: AgentSettingName) => unknown;
  readonly source: (name: AgentSettingName) => 'cli' | 'env' | 'default';
}

/**
 * Merges flags, environment and file.
 *
 * @param file absolute path and content of the configuration file, if there is one
 * @throws CommandError for an unknown key or an invalid value, with file, line, key and what to write instead
 */
export function resolveConfig(given: Given, file: (ConfigFile & { readonly path: string }) | null): Resolved {
  const written = file ? understood(file.path, file.entries) : new Map<AgentSettingName, { value: unknown; line: number }>();
  const values: Partial<Record<AgentSettingName, unknown>> = {};
  const origins: Partial<Record<AgentSettingName, Origin>> = {};
  for (const name of agentSettingNames) {
    const source = given.source(name);
    const inFile = written.get(name);
    if (source !== 'default') {
      values[name] = given.value(name);
      origins[name] = { kind: source === 'cli' ? 'flag' : 'environment' };
    } else if (inFile && file) {
      values[name] = inFile.value;
      origins[name] = { kind: 'file', file: file.path, line: inFile.line };
    } else {
      values[name] = agentSettings[name].fallback;
      origins[name] = { kind: 'default' };
    }
  }
  return {
    config: values as unknown as AgentConfig,
    origins: origins as Resolved['origins'],
    provisioning: file && { ...file.provisioning, file: file.path },
  };
}

/** The API key. Of key and key file, the source with the higher priority is used; with equal priority, the key. */
export function apiKeyOf({ config, origins }: Resolved): string | undefined {
  const byFile = weight[origins.apiKeyFile.kind] > weight[origins.apiKey.kind];
  return byFile ? readSecret(undefined, config.apiKeyFile, 'API key') : readSecret(config.apiKey, config.apiKeyFile, 'API key');
}

function understood(file: string, entries: readonly Entry[]): Map<AgentSettingName, { value: unknown; line: number }> {
  return new Map(
    entries.map(({ key, value, line }) => {
      const refuse = (why: string, cause?: unknown): never => {
        throw new CommandError(exitCodes.usage, `${file}, line ${line}: ${why}`, { cause });
      };
      const name = agentSettingNames.find((one) => keyOf(one) === key);
      if (name === undefined) return refuse(`there is no setting "${printable(key)}". ${suggestion(key)}`);
      const setting = agentSettings[name] as Setting<unknown>;
      if (setting.secret) {
        return refuse(
          `${key} does not belong in this file, which others may read. Put it in a file of its own, and name that by ${key}_file.`,
        );
      }
      if (value === null || value === '' || value.length === 0) return refuse(`${key} has no value. Give one, or remove the line.`);
      if (typeof value !== 'string' && !setting.several) return refuse(`${key} takes one value, not a list.`);
      try {
        const parsed = setting.parse(typeof value === 'string' ? value : value.join(','));
        return [name, { value: setting.path ? absolutePath(parsed as string, dirname(file)) : parsed, line }];
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        return refuse(`${key} cannot be "${printable(String(value))}". ${error.message}`, error);
      }
    }),
  );
}

/** The most similar setting name, or all names. */
function suggestion(key: string): string {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '');
  const keys = agentSettingNames.filter((name) => !agentSettings[name].secret).map(keyOf);
  const meant =
    keys.find((one) => plain(one) === plain(key)) ?? keys.find((one) => plain(key).length > 3 && plain(one).includes(plain(key)));
  return meant ? `Write ${meant}.` : `There are ${keys.join(', ')}.`;
}

/** The resolved configuration as a file for `--config`, with the source of each value and without secrets. */
export function printedConfig({ config, origins }: Resolved): string {
  const lines = agentSettingNames.map((name): [string, string] => {
    const { show, secret, several } = agentSettings[name] as Setting<unknown>;
    const origin = originText(name, origins[name]);
    const value = config[name];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return [`# ${keyOf(name)}:`, origin];
    if (secret) return [`# ${keyOf(name)}: ${show(value)}`, origin];
    return [`${keyOf(name)}: ${several ? `[${(value as string[]).map(quoted).join(', ')}]` : quoted(show(value))}`, origin];
  });
  const width = Math.max(...lines.map(([line]) => line.length));
  return lines.map(([line, origin]) => `${line.padEnd(width)}  # ${origin}\n`).join('');
}

/** Unquoted where YAML allows it. JSON quotes are valid in YAML too. */
const quoted = (text: string): string => (/^[\w/~.][\w/~.:@+-]*$/.test(text) && !/:$/.test(text) ? text : JSON.stringify(text));

function originText(name: AgentSettingName, origin: Origin): string {
  switch (origin.kind) {
    case 'flag':
      return flagOf(name);
    case 'environment':
      return agentSettings[name].variable;
    case 'file':
      return `${printable(origin.file)}, line ${origin.line}`;
    case 'default':
      return 'default';
  }
}
