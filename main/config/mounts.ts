import { isMapping, readFields } from '#engine/automations/rules/yaml-fields.ts';
import { YamlFault, type YamlText } from '#engine/automations/rules/yaml-text.ts';
import { CreateMount } from '#protocol/agent/mounts.ts';

/** A mount as the configuration file has it. */
export interface WrittenMount {
  readonly fields: CreateMount;
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
    return { fields: readFields(yaml, path, { schema: CreateMount, given, what: 'a mount' }) as CreateMount, line };
  });
}
