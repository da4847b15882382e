import { readFileSync } from 'node:fs';
import { automationsIn, type WrittenAutomation } from '#engine/automations/rules/automations-yaml.ts';
import { isMapping } from '#engine/automations/rules/yaml-fields.ts';
import { readYaml, YamlFault, type YamlText } from '#engine/automations/rules/yaml-text.ts';
import { exitCodes } from '../cli/exit-codes.ts';
import { CommandError } from '../cli/failure.ts';
import { mountsIn, type WrittenMount } from './mounts.ts';

/** One key of a configuration file with its value, not yet validated. */
export interface Entry {
  readonly key: string;
  /** The values of a list, or the single value; null for an empty value. */
  readonly value: string | readonly string[] | null;
  readonly line: number;
}

/** What a configuration file wants to be there, besides settings. */
export interface Provisioning {
  readonly automations: readonly WrittenAutomation[];
  readonly mounts: readonly WrittenMount[];
}

export interface ConfigFile {
  /** The settings. */
  readonly entries: readonly Entry[];
  readonly provisioning: Provisioning;
}

/** Larger than any real configuration. A file given by mistake could have any size. */
const mostBytes = 1_000_000;

/** Keys that are no settings: each holds a list of its own. */
const sections: readonly string[] = ['automations', 'mounts'];

/**
 * Reads a YAML file with lines `key: value`, values being texts or lists of texts, and with lists of what is to be made.
 *
 * @throws CommandError that names file and line
 */
export function readConfigFile(file: string): ConfigFile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const { message } = cause as Error;
    throw new CommandError(exitCodes.local, `The configuration file ${file} cannot be read: ${message}. Check --config.`, { cause });
  }
  if (text.length > mostBytes) throw new CommandError(exitCodes.usage, `${file} is too large for a configuration file. Check --config.`);
  return parseConfig(text, file);
}

export function parseConfig(text: string, file: string): ConfigFile {
  try {
    const yaml = readYaml(text);
    if (!isMapping(yaml.value)) throw notFlat(1);
    return {
      // A port or a name of digits keeps the letters that it is written in.
      entries: entriesOf(yaml, yaml.value, readYaml(text, { asWritten: true }).value as Readonly<Record<string, unknown>>),
      provisioning: { automations: automationsIn(yaml, yaml.value['automations']), mounts: mountsIn(yaml, yaml.value['mounts']) },
    };
  } catch (cause) {
    if (!(cause instanceof YamlFault)) throw cause;
    throw new CommandError(exitCodes.usage, `${file}, line ${cause.line}: ${cause.message}`, { cause });
  }
}

function entriesOf(yaml: YamlText, value: Readonly<Record<string, unknown>>, written: Readonly<Record<string, unknown>>): Entry[] {
  return Object.entries(value)
    .filter(([key]) => !sections.includes(key))
    .map(([key, one]) => {
      const line = yaml.lineOf([key]);
      if (one === null) return { key, value: null, line };
      const text = written[key];
      if (Array.isArray(text) && text.every((part): part is string => typeof part === 'string')) return { key, value: text, line };
      if (typeof text !== 'string') throw notFlat(line);
      return { key, value: text, line };
    });
}

const notFlat = (line: number): YamlFault =>
  new YamlFault(
    line,
    `write each setting as key: value, a value being a text or a list of texts; only ${sections.join(' and ')} hold more.`,
  );
