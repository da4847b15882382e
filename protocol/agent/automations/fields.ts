import { type Static, Type } from 'typebox';
import { FormValues } from '../../hosted/forms.ts';
import { limits } from '../../limits.ts';
import { DateTime, Email, Id, Literals, Name, names, Text } from '../../schema.ts';
import { portalAddress } from '../portal-uploads.ts';
import { WeekSchedule } from '../settings.ts';
import { LocalPath, Priority } from '../transfers.ts';

/** The fields that a person chooses for an automation, by what it does: contract/agent.md §10. */

const Pattern = Type.String({ minLength: 1, maxLength: 1_024 });

/** Shell-style patterns (`*`, `**`, `?`, `[…]`, `{a,b}`), matched against the path inside the watched folder, with `/`. */
export const Patterns = Type.Array(Pattern, { maxItems: 100, examples: [['*.mov']] });

export const commonFields = {
  name: { ...Name, description: 'Unique among the automations: import finds them by it.', examples: ['Camera cart'] },
  active: Type.Boolean({ description: 'Whether it works or rests.' }),
  priority: Type.Optional(Priority),
  due_at: Type.Optional({ ...DateTime, description: 'When its transfers should be over.' }),
  due_within_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 366 * 86_400,
      description: 'How long after its making each transfer should be over. The earlier one holds where `due_at` is set too.',
      examples: [14_400],
    }),
  ),
};

export const watchFields = {
  folder: { ...LocalPath, description: 'The folder that is watched.' },
  recursive: Type.Boolean({ default: true, description: 'Whether folders in it count, and what is in them.' }),
  include: Type.Optional({ ...Patterns, description: 'Only what one of these patterns matches; without any, everything.' }),
  exclude: Type.Optional({ ...Patterns, description: 'Not what one of these matches, even if `include` does.' }),
  not_ready: Type.Optional({
    ...Patterns,
    description:
      'Names that mean "not yet", besides those that are known, such as `*.part`, or paths of folders: `**/Export/Pending/`. Such a file is never sent under this name.',
    examples: [['*.uploading']],
  }),
  settle_seconds: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    default: 30,
    description: 'How long size, time and identity of a file must stay the same before it is sent.',
  }),
  package_per: Literals(['entry', 'batch', 'marker'], {
    default: 'entry',
    description:
      '`entry`: one package for each file or folder right under the watched one; `batch`: one for all that is ready at once; `marker`: one for each folder, once it holds what `marker` names.',
  }),
  marker: Type.Optional({
    ...Pattern,
    description: 'The name, or a pattern of it, that completes a folder. Without it, `_READY`.',
    examples: ['*.mhl'],
  }),
  schedule: Type.Optional({ ...WeekSchedule, description: 'The times of the week at which it sends. Without it, always.' }),
  growing: Type.Boolean({ default: false, description: 'Whether files are sent while they are still being written.' }),
  growing_idle_seconds: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    default: 60,
    description: 'How long after it last grew a growing file counts as whole.',
  }),
  by_content: Type.Boolean({
    default: false,
    description: 'Whether what was sent is also known by its BLAKE3, so that a copy of it, or a newer time alone, is not sent again.',
  }),
  existing: Type.Boolean({ default: false, description: 'Whether what lies there at the start is sent too.' }),
  after: Literals(['keep', 'move', 'delete'], {
    default: 'keep',
    description: "What becomes of files that were sent, finalized and confirmed by the package's receipt.",
  }),
  move_to: Type.Optional({
    ...LocalPath,
    description: 'Where `move` puts them, below the folders that they were in.',
    examples: ['/media/sent'],
  }),
  package_name: Type.Optional({
    ...Name,
    description: "May hold `{name}`, `{date}`, `{time}`, `{folder}` and `{counter}`. Without it, the entry's name.",
    examples: ['{folder} {date} {counter}'],
  }),
  package_description: Type.Optional(Text),
};

/** Where the value of a form's field comes from. */
export const FormSource = Type.Union(
  [
    Type.Object({
      source: Literals(['name']),
      pattern: Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: "A regular expression (RE2) over the entry's name; its named group `value` is the value.",
        examples: ['^(?P<value>[A-Z])\\d+'],
      }),
    }),
    Type.Object({
      source: Literals(['sidecar']),
      file: { ...Pattern, description: 'A pattern of the file beside or in the entry: `.json`, `.csv` or `.xml`.', examples: ['*.json'] },
      key: Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: 'Which value in it: names with dots between them, or the heading of a column.',
        examples: ['camera.name'],
      }),
    }),
    Type.Object({
      source: Literals(['folder']),
      level: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 100,
          description: 'Whose name: 0, as without it, is the folder right above the entry, 1 the one above that.',
        }),
      ),
    }),
  ],
  { title: 'FormSource' },
);
export type FormSource = Static<typeof FormSource>;

export const portalUploadFields = {
  ...portalAddress,
  sender: Email,
  form: Type.Optional({ ...FormValues, description: 'Answers that are the same for every package.' }),
  form_from: Type.Optional(
    Type.Record(Type.String(), FormSource, {
      propertyNames: names(limits.nameLength),
      maxProperties: limits.formFields,
      description: 'Answers that differ, from field name to their source. What cannot be found is asked: `needs_you`.',
      examples: [{ camera: { source: 'folder', level: 0 } }],
    }),
  ),
};

export const teamUploadFields = {
  team_id: Id,
  recipients: Type.Array(Email, { maxItems: limits.recipients }),
};

export const downloadFields = {
  team_id: Id,
  dst_folder: { ...LocalPath, description: 'The folder that receives the packages.' },
  create_package_folder: Type.Boolean({ default: true }),
  subfolders: Type.Optional(
    Type.Array(Literals(['portal', 'sender', 'date']), {
      maxItems: 3,
      uniqueItems: true,
      description: 'Folders above that of the package, from the outer to the inner.',
      examples: [['portal', 'date']],
    }),
  ),
  include: Type.Optional({ ...Patterns, description: 'Only files whose path one of these patterns matches; without any, all.' }),
  exclude: Type.Optional(Patterns),
  since: Type.Optional({ ...DateTime, description: 'Packages finalized before are left alone. Without it, those before its making.' }),
  afterwards: Literals(['keep', 'delete', 'archive'], {
    default: 'keep',
    description:
      'What becomes of a package at the service, once all of it is here and verified. `delete` expires it; `archive` expires it and puts it into the archive.',
  }),
};
