import type { AutomationKind, UpdateAutomation } from '#protocol/agent/automations/automation.ts';
import { checkedFields, type GivenFields } from './checked-fields.ts';
import { type AutomationRecord, type DownloadAutomationFacts, isUploadKind } from './record.ts';

/** How an automation comes from what a caller gave, and changes by it. `invalid_request` where a field is wrong. */

/** @param given the fields of its kind; an access code among them is kept apart */
export function newRecord(
  kind: AutomationKind,
  given: GivenFields,
  { id, now, restricted }: { readonly id: string; readonly now: number; readonly restricted: boolean },
): AutomationRecord {
  const { access_code: accessCode, ...fields } = checkedFields(kind, given);
  return {
    id,
    kind,
    fields,
    facts: isUploadKind(kind) ? { counter: 0 } : {},
    secrets: accessCode === undefined ? {} : { accessCode },
    restricted,
    createdAt: now,
    updatedAt: now,
    lastRunAt: null,
  } as unknown as AutomationRecord;
}

/** The record with a change: what is left out stays, `null` takes a field out. */
export function changedRecord(record: AutomationRecord, change: UpdateAutomation, now: number): AutomationRecord {
  const before: GivenFields = {
    ...record.fields,
    ...('accessCode' in record.secrets ? { access_code: record.secrets.accessCode } : {}),
  };
  const given = Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null && value !== undefined));
  const { fields, secrets } = newRecord(record.kind, given, { id: record.id, now, restricted: record.restricted });
  return { ...record, fields, secrets, facts: factsAfter(record, fields, now), updatedAt: now } as AutomationRecord;
}

/** What was sent before is not touched by what is to be done with files from now on. */
function factsAfter({ kind, facts, fields: before }: AutomationRecord, fields: AutomationRecord['fields'], now: number): object {
  // To save it says that its folder is meant as it is now.
  if (!isUploadKind(kind)) {
    const { started: _, ...lasting } = facts as DownloadAutomationFacts;
    return lasting;
  }
  const [from, to] = [before, fields] as readonly GivenFields[];
  return from!['after'] === to!['after'] ? facts : { ...facts, afterSince: now };
}
