import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from 'typebox';
import { type AutomationKind, automationBodies } from '#protocol/agent/automations/automation.ts';
import type { WrittenAutomation } from './automations-yaml.ts';
import { YamlFault } from './yaml-text.ts';

/** An automation that is there. */
export interface ExistingAutomation {
  readonly id: string;
  readonly kind: AutomationKind;
  /** What a person chose, with its access code. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface ImportPlan {
  readonly creates: readonly WrittenAutomation[];
  /** `null` takes a field out. */
  readonly updates: readonly { readonly id: string; readonly change: Readonly<Record<string, unknown>>; readonly line: number }[];
  /** Ids. */
  readonly unchanged: readonly string[];
}

/** What a text that does not say it leaves as it is: secrets are not exported, and a person may pause anything. */
const unchangedWhereUnsaid: readonly string[] = ['access_code', 'active'];

/**
 * What makes the automations be as a text has them, found by their names: the same text again changes nothing. Others
 * stay as they are.
 *
 * @throws YamlFault where an automation would change its kind
 */
export function planImport(written: readonly WrittenAutomation[], existing: readonly ExistingAutomation[]): ImportPlan {
  const byName = new Map(existing.map((automation) => [automation.fields['name'], automation]));
  const creates: WrittenAutomation[] = [];
  const updates: ImportPlan['updates'][number][] = [];
  const unchanged: string[] = [];
  for (const wanted of written) {
    const there = byName.get(wanted.name);
    if (!there) {
      creates.push({ ...wanted, fields: { active: true, ...wanted.fields } });
      continue;
    }
    if (there.kind !== wanted.kind) {
      throw new YamlFault(
        wanted.line,
        `"${wanted.name}" is a ${there.kind} already, and its kind stays. Give this one another name, or remove the other.`,
      );
    }
    const change = changeOf(there, wanted);
    if (Object.keys(change).length === 0) unchanged.push(there.id);
    else updates.push({ id: there.id, change, line: wanted.line });
  }
  return { creates, updates, unchanged };
}

function changeOf(there: ExistingAutomation, wanted: WrittenAutomation): Record<string, unknown> {
  const { properties } = automationBodies[wanted.kind] as { properties: Readonly<Record<string, TSchema>> };
  const change: Record<string, unknown> = {};
  for (const name of Object.keys(properties)) {
    const [before, after] = [there.fields[name], wanted.fields[name]];
    if (after !== undefined) {
      if (!isDeepStrictEqual(before, after)) change[name] = after;
    } else if (before !== undefined && !unchangedWhereUnsaid.includes(name)) change[name] = null;
  }
  return change;
}
