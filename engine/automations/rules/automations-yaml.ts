import type { TSchema } from 'typebox';
import { stringify } from 'yaml';
import { type Automation, type AutomationKind, automationBodies, automationKinds } from '#protocol/agent/automations/automation.ts';
import { readTeamFields, teamNameOf } from './team-names.ts';
import { isMapping } from './yaml-fields.ts';
import { readYaml, YamlFault, type YamlText } from './yaml-text.ts';

/** Automations as text, for export, import and the agent's configuration file: contract/agent.md §10. */

/** An automation as a YAML text has it: valid, and with the defaults of its kind. */
export interface WrittenAutomation {
  readonly kind: AutomationKind;
  readonly name: string;
  /** Of its kind, `name` among them. Without `active` where the text does not say it; with `team`, a name, in place of `team_id`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Where it begins. */
  readonly line: number;
}

/** More than an agent works with. */
const mostAutomations = 1_000;

/**
 * Reads the automations of a YAML text.
 *
 * @throws YamlFault that names the line and the field
 */
export function readAutomations(text: string): WrittenAutomation[] {
  const yaml = readYaml(text);
  const { value } = yaml;
  if (!isMapping(value)) throw new YamlFault(1, 'Begin with "automations:", and a list of them below.');
  const unknown = Object.keys(value).find((key) => key !== 'automations');
  if (unknown !== undefined) throw new YamlFault(yaml.lineOf([unknown]), `There is no "${unknown}" here, only "automations".`);
  return automationsIn(yaml, value['automations']);
}

/** The same of a text that holds other things besides: `list` is what stands under its key `automations`. */
export function automationsIn(yaml: YamlText, list: unknown): WrittenAutomation[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw new YamlFault(yaml.lineOf(['automations']), 'automations is a list: begin each with "- name:".');
  if (list.length > mostAutomations)
    throw new YamlFault(yaml.lineOf(['automations']), `There are more than ${mostAutomations} automations.`);
  const found: WrittenAutomation[] = [];
  for (const [index, entry] of list.entries()) {
    const read = automationAt(yaml, ['automations', index], entry);
    const before = found.find(({ name }) => name === read.name);
    if (before) throw new YamlFault(read.line, `The name "${read.name}" stands in line ${before.line} already. Give each its own.`);
    found.push(read);
  }
  return found;
}

function automationAt(yaml: YamlText, path: readonly (string | number)[], entry: unknown): WrittenAutomation {
  const line = yaml.lineOf(path);
  if (!isMapping(entry)) throw new YamlFault(line, 'An automation is a list of fields: name, kind, folder and so on.');
  const { kind, ...given } = entry;
  if (!automationKinds.includes(kind as AutomationKind)) {
    const kinds = automationKinds.join(', ');
    const fault = kind === undefined ? `kind is missing: give one of ${kinds}.` : `kind is ${JSON.stringify(kind)}: give one of ${kinds}.`;
    throw new YamlFault(yaml.lineOf([...path, 'kind']), fault);
  }
  const schema = automationBodies[kind as AutomationKind];
  const fields = readTeamFields(yaml, path, { schema, given, what: String(kind), assumed: { active: true } });
  return { kind: kind as AutomationKind, name: fields['name'] as string, fields, line };
}

/** A text of one automation that `readAutomations` reads as it was, with its access code. */
export function textOf({ kind, fields }: WrittenAutomation): string {
  return stringify({ automations: [{ kind, ...fields }] }, { lineWidth: 0 });
}

/**
 * Writes automations as YAML: what a person chose, without what is usual. An access code is never written; whoever
 * reads the text again keeps the one that is there. A Team stands by its name where that means one of `teams` alone.
 */
export function writeAutomations(automations: readonly Automation[], teams: Parameters<typeof teamNameOf>[1] = []): string {
  const written = automations.map((automation) => {
    const { properties } = automationBodies[automation.kind] as { properties: Readonly<Record<string, TSchema & { default?: unknown }>> };
    const fields = Object.entries(automation).filter(
      ([name, value]) => name !== 'name' && Object.hasOwn(properties, name) && value !== undefined && value !== properties[name]!.default,
    );
    const order = Object.keys(properties);
    fields.sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
    const named = fields.map(([field, value]) => {
      const name = field === 'team_id' ? teamNameOf(String(value), teams) : null;
      return name === null ? [field, value] : ['team', name];
    });
    return { name: automation.name, kind: automation.kind, ...Object.fromEntries(named) };
  });
  return stringify({ automations: written }, { lineWidth: 0 });
}
