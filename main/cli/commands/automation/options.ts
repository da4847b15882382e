import { isAbsolute, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AutomationKind } from '#protocol/agent/automations/automation.ts';
import type { FormValues } from '#protocol/hosted/forms.ts';
import { exitCodes } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { parseDuration, parseMoment, readSecret } from '../../options.ts';

/** The kinds as the command line names them. */
export const kindNames = ['team-upload', 'portal-upload', 'portal-download', 'all-portals-download'] as const;
export const kindOf = (name: string): AutomationKind => name.replaceAll('-', '_') as AutomationKind;

/** An option that sets a field of an automation. */
interface FieldOption {
  readonly flags: string;
  readonly meaning: string;
  /** Of the automation; `null` where the command itself makes something of it. */
  readonly field: string | null;
  /** @param before what came of an earlier one of the same name */
  readonly parse?: (text: string, before: unknown) => unknown;
  readonly choices?: readonly string[];
  /** What the flag alone means. */
  readonly value?: boolean;
}

const formFlags = '--form <name=value>';

/**
 * One table behind the options of `add` and `edit`. Schedules and the sources of a form's answers are written in a file,
 * since a command line would be longer than that.
 */
const fieldOptions: readonly FieldOption[] = [
  { flags: '--folder <folder>', meaning: 'the folder that is watched, or that packages go into', field: 'folder', parse: wholePath },
  { flags: '--team <team>', meaning: 'Team by id, name or subdomain (default: the only one)', field: null },
  { flags: '--portal <portal>', meaning: 'the Portal: its subdomain, or its id', field: null },
  { flags: '--to <address...>', meaning: 'e-mail addresses that get a link to each package', field: 'recipients' },
  { flags: '--sender <address>', meaning: 'the sender, as the Portal asks for', field: 'sender' },
  { flags: '--access-code-file <file>', meaning: "file with the Portal's access code", field: null },
  { flags: formFlags, meaning: "an answer to the Portal's form; can be given several times", field: null, parse: answer },
  { flags: '--include <pattern...>', meaning: 'only what one of these patterns matches, for example "*.mov"', field: 'include' },
  { flags: '--exclude <pattern...>', meaning: 'not what one of these matches', field: 'exclude' },
  { flags: '--not-ready <pattern...>', meaning: 'names that mean "not yet", besides the known ones', field: 'not_ready' },
  { flags: '--settle <seconds>', meaning: 'how long a file must stay the same (default: 30)', field: 'settle_seconds', parse: seconds },
  { flags: '--flat', meaning: 'leave out folders in the watched one', field: 'recursive', value: false },
  {
    flags: '--package-per <what>',
    meaning: 'a package for each entry, for all that is ready, or for each folder with a marker (default: entry)',
    field: 'package_per',
    choices: ['entry', 'batch', 'marker'],
  },
  { flags: '--marker <name>', meaning: 'the name that completes a folder, for example "*.mhl" (default: _READY)', field: 'marker' },
  { flags: '--package-name <template>', meaning: 'its name: {name}, {folder}, {date}, {time}, {counter}', field: 'package_name' },
  { flags: '--message <text>', meaning: "each package's description", field: 'package_description' },
  { flags: '--existing', meaning: 'also send what lies there at the start', field: 'existing', value: true },
  { flags: '--growing', meaning: 'send files while they are still being written', field: 'growing', value: true },
  {
    flags: '--growing-idle <seconds>',
    meaning: 'how long after it last grew such a file is whole (default: 60)',
    field: 'growing_idle_seconds',
    parse: seconds,
  },
  { flags: '--by-content', meaning: 'know what was sent by its content too', field: 'by_content', value: true },
  {
    flags: '--after <what>',
    meaning: 'what becomes of files that have arrived (default: keep)',
    field: 'after',
    choices: ['keep', 'move', 'delete'],
  },
  { flags: '--move-to <folder>', meaning: 'where --after move puts them', field: 'move_to', parse: wholePath },
  { flags: '--no-package-folder', meaning: 'put files of packages right into the folder', field: 'create_package_folder', value: false },
  {
    flags: '--subfolders <list>',
    meaning: 'folders above each package, of portal, sender and date, with commas between',
    field: 'subfolders',
    parse: (text) => text.split(',').map((one) => one.trim()),
  },
  { flags: '--since <date>', meaning: 'also fetch packages since then', field: 'since', parse: parseMoment },
  {
    flags: '--afterwards <what>',
    meaning: 'what becomes of a package at the service once it is here (default: keep)',
    field: 'afterwards',
    choices: ['keep', 'delete', 'archive'],
  },
  { flags: '--priority <priority>', meaning: 'of its transfers (default: normal)', field: 'priority', choices: ['low', 'normal', 'high'] },
  { flags: '--due-at <moment>', meaning: 'when its transfers should be over', field: 'due_at', parse: parseMoment },
  {
    flags: '--due-within <time>',
    meaning: 'how long after its making each transfer should be over: 90m, 4h, 2d',
    field: 'due_within_seconds',
    parse: parseDuration,
  },
];

export interface FieldFlags {
  readonly team?: string;
  readonly portal?: string;
  readonly accessCodeFile?: string;
  readonly form?: Readonly<Record<string, string>>;
}

export function addFieldOptions(command: Command): Command {
  for (const { flags, meaning, parse, choices } of fieldOptions) {
    const option = new Option(flags, meaning);
    if (choices) option.choices(choices);
    else if (parse) option.argParser<unknown>(parse);
    command.addOption(option);
  }
  return command;
}

/**
 * The fields that a command line gives.
 *
 * @param has whether the automation's kind has a field
 * @throws CommandError for an option that its kind has no use for
 */
export function fieldsOf(command: Command, kind: AutomationKind, has: (field: string) => boolean): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const { flags, field, value } of fieldOptions) {
    const { name, long } = nameOf(flags);
    if (field === null || command.getOptionValueSource(name) !== 'cli') continue;
    // A download's folder is where packages go.
    const own = field === 'folder' && !has(field) ? 'dst_folder' : field;
    if (!has(own)) throw new CommandError(exitCodes.usage, `${long} is nothing for ${kind.replaceAll('_', '-')}. See --help.`);
    fields[own] = value ?? command.getOptionValue(name);
  }
  const { accessCodeFile, form } = command.opts<FieldFlags>();
  for (const [option, given, field] of [
    ['--access-code-file', accessCodeFile, 'access_code'],
    ['--form', form, 'form'],
  ] as const) {
    if (given !== undefined && !has(field))
      throw new CommandError(exitCodes.usage, `${option} is nothing for ${kind.replaceAll('_', '-')}. See --help.`);
  }
  const code = readSecret(undefined, accessCodeFile, "Portal's access code");
  return {
    ...fields,
    ...(code !== undefined && { access_code: code }),
    ...(form && { form: formValuesOf(form) }),
  };
}

function nameOf(flags: string): { readonly name: string; readonly long: string } {
  const option = new Option(flags);
  return { name: option.attributeName(), long: option.long! };
}

/** The same option of a command of its own. */
export const formOption = (): Option => new Option(formFlags, 'an answer; can be given several times').argParser<unknown>(answer);

export const formValuesOf = (given: Readonly<Record<string, string>>): FormValues =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { value }]));

function answer(given: string, before: unknown): Record<string, string> {
  const equals = given.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('Give the name of a field, = and the answer, for example camera=A.');
  return { ...(before as Record<string, string> | undefined), [given.slice(0, equals)]: given.slice(equals + 1) };
}

function wholePath(text: string): string {
  // Paths of an agent on another machine, which may be another system, stay as they are.
  return isAbsolute(text) || /^[A-Za-z]:[\\/]/.test(text) ? text : resolve(text);
}

function seconds(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('Give whole seconds above 0.');
}
