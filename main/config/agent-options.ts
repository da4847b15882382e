import { type Command, Option } from 'commander';
import { absolutePath } from '../folders.ts';
import { agentSettingNames, agentSettings, type Setting } from './agent-settings.ts';
import type { Given, Resolved } from './resolve.ts';

/** The agent's settings as options of its command. */
export function agentOptions(): Option[] {
  return agentSettingNames.map((name) => {
    const { flags, variable, meaning, fallback, alone, parse, show, several, choices } = agentSettings[name] as Setting<unknown>;
    const option = new Option(flags, meaning).env(variable);
    const empty = fallback === undefined || (Array.isArray(fallback) && fallback.length === 0);
    if (!empty) option.default(fallback, show(fallback));
    if (alone !== undefined) option.preset(show(alone));
    // Several values may be given by repeating the option or as one text.
    if (several) option.argParser<unknown>((text, before) => [...((before as unknown[] | undefined) ?? []), ...(parse(text) as unknown[])]);
    else if (choices) option.choices(choices);
    else option.argParser<unknown>(parse);
    return option;
  });
}

/** Resolves a command's options and the configuration file. The file reader is loaded only if a file was given. */
export async function configOf(command: Command, configFile: string | undefined, from: string): Promise<Resolved> {
  const given: Given = {
    value: (name) => command.getOptionValue(name),
    source: (name) => sourceOf(command.getOptionValueSource(name)),
  };
  const { resolveConfig } = await import('./resolve.ts');
  if (configFile === undefined) return resolveConfig(given, null);
  const path = absolutePath(configFile, from);
  const { readConfigFile } = await import('./read-file.ts');
  return resolveConfig(given, { path, ...readConfigFile(path) });
}

const sourceOf = (said: string | undefined): 'cli' | 'env' | 'default' => (said === 'cli' || said === 'env' ? said : 'default');
