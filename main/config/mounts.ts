import { readTeamFields } from '#engine/automations/rules/team-names.ts';
import { isMapping } from '#engine/automations/rules/yaml-fields.ts';
import { YamlFault, type YamlText } from '#engine/automations/rules/yaml-text.ts';
import { CreateMount } from '#protocol/agent/mounts.ts';

/** A mount as the configuration file has it. */
export interface WrittenMount {
  /** Its path, for messages. */
  readonly name: string;
  /** Of a new mount; with `team`, a name, in place of `team_id` where the text has that. */
  readonly fields: Omit<CreateMount, 'team_id'> & { readonly team_id?: string; readonly team?: string };
  readonly line: number;
}

/**
 * The mounts of a configuration file: `list` is what stands under its key `mounts`.
 *
 * @throws YamlFault that names the line and the field
 */
export function mountsIn(yaml: YamlText, list: unknown): WrittenMount[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw new YamlFault(yaml.lineOf(['mounts']), 'mounts is a list: begin each with "- path:".');
  return list.map((given: unknown, index) => {
    const path = ['mounts', index];
    const line = yaml.lineOf(path);
    if (!isMapping(given)) throw new YamlFault(line, 'A mount is a list of fields: path, team_id and so on.');
    const fields = readTeamFields(yaml, path, { schema: CreateMount, given, what: 'a mount' }) as WrittenMount['fields'];
    return { name: fields.path, fields, line };
  });
}
