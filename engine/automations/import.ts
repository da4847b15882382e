import { ApiError } from '#protocol/errors.ts';
import { changedRecord } from './new-record.ts';
import type { AutomationRecord } from './record.ts';
import { readAutomations, type WrittenAutomation } from './rules/automations-yaml.ts';
import { type ImportPlan, planImport } from './rules/import-plan.ts';
import { namesTeams, withTeamIds } from './rules/team-names.ts';
import { YamlFault } from './rules/yaml-text.ts';

/** What an import makes and changes, before anything is saved. */
export interface ImportedRecords {
  readonly created: readonly AutomationRecord[];
  readonly updated: readonly { readonly before: AutomationRecord; readonly after: AutomationRecord }[];
  /** Ids. */
  readonly unchanged: readonly string[];
}

const inLine = (line: number, message: string): ApiError => new ApiError('invalid_request', { detail: `Line ${line}: ${message}` });

/**
 * The plan of a YAML text; `invalid_request` names the line.
 *
 * @param teams asked for only where the text names a Team
 */
export async function importPlan(
  yaml: string,
  existing: readonly AutomationRecord[],
  teams: () => Promise<Parameters<typeof withTeamIds>[1]>,
): Promise<ImportPlan> {
  try {
    const there = existing.map(({ id, kind, fields, secrets }) => {
      return { id, kind, fields: { ...fields, ...('accessCode' in secrets ? { access_code: secrets.accessCode } : {}) } };
    });
    const written = readAutomations(yaml);
    return planImport(namesTeams(written) ? withTeamIds(written, await teams()) : written, there);
  } catch (cause) {
    if (cause instanceof YamlFault) throw inLine(cause.line, cause.message);
    throw cause;
  }
}

/** The records of a plan. Faults of one of them name its line. */
export function importedRecords(
  { creates, updates, unchanged }: ImportPlan,
  { create, get, now }: { create: (written: WrittenAutomation) => AutomationRecord; get: (id: string) => AutomationRecord; now: number },
): ImportedRecords {
  const at = <T>(line: number, make: () => T): T => {
    try {
      return make();
    } catch (cause) {
      if (cause instanceof ApiError && cause.error === 'invalid_request') throw inLine(line, cause.message);
      throw cause;
    }
  };
  return {
    created: creates.map((written) => at(written.line, () => create(written))),
    updated: updates.map(({ id, change, line }) => {
      const before = get(id);
      return { before, after: at(line, () => changedRecord(before, change, now)) };
    }),
    unchanged,
  };
}
