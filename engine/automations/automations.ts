import type { Automation, AutomationKind, DraftAutomation, UpdateAutomation } from '#protocol/agent/automations/automation.ts';
import type { DryRun, TestedPatterns, TestPatterns } from '#protocol/agent/automations/dry-run.ts';
import type { AutomationQuestion, AutomationResult, ForgetEntries, LedgerEntry, LedgerQuery } from '#protocol/agent/automations/history.ts';
import type { FormValues } from '#protocol/hosted/forms.ts';
import type { Asking } from '../asking.ts';

/** What was chosen for a new automation: the fields of its kind. */
export type NewAutomation = DraftAutomation['automation'];

/**
 * Folders that send themselves, and Portals that arrive by themselves (contract/agent.md §10). All failures are
 * `ApiError`s of the catalogue; `not_found` for an id that there is not.
 */
export interface Automations {
  list(): Automation[];
  get(id: string): Automation;
  /** `already_exists` for a name that is taken, `folders_overlap` for a loop, `invalid_request` for a field that is wrong. */
  create(kind: AutomationKind, fields: NewAutomation, asking?: Asking): Promise<Automation>;
  update(id: string, change: UpdateAutomation, asking?: Asking): Promise<Automation>;
  /** Its transfers go on. */
  remove(id: string): Promise<void>;
  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  /** Has it look now; `state_conflict` while it rests. */
  run(id: string): Promise<void>;
  /** A copy that rests, with an empty ledger. */
  duplicate(id: string, asking?: Asking): Promise<Automation>;
  dryRun(id: string): Promise<DryRun>;
  /** Of one that is not saved, or is to be changed: with its id, which has to be of the same kind, its ledger counts. */
  dryRunDraft(draft: DraftAutomation, asking?: Asking): Promise<DryRun>;
  testPatterns(request: TestPatterns): TestedPatterns;
  /** The newest first. */
  results(id: string, limit: number): AutomationResult[];
  ledger(id: string, query: LedgerQuery): { readonly total: number; readonly records: readonly LedgerEntry[] };
  /** Takes entries out of the ledger, except those under way; returns how many. */
  forget(id: string, entries: ForgetEntries): Promise<number>;
  questions(id: string): AutomationQuestion[];
  /** `form_response_incomplete` where something is still missing. */
  answer(id: string, questionId: string, form: FormValues): Promise<void>;
  /** As YAML without secrets: all, or those named. */
  export(ids?: readonly string[]): string;
  /** Makes or changes automations by name: all of them, or none. */
  import(
    yaml: string,
    asking?: Asking,
  ): Promise<{ readonly created: number; readonly updated: number; readonly unchanged: number; readonly automations: Automation[] }>;
}
