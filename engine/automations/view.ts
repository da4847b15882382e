import type { Automation } from '#protocol/agent/automations/automation.ts';
import type { AutomationResult, LedgerEntry } from '#protocol/agent/automations/history.ts';
import type { AutomationRecord, LedgerRow, LedgerState, ResultRow } from './record.ts';
import type { LoopStatus } from './runner/loop.ts';

/** Automations and what they know, as the local API shows them. */

const iso = (at: number): string => new Date(at).toISOString();

interface Known {
  readonly ledger: Readonly<Record<LedgerState, number>>;
  readonly questions: number;
}

const someFailed = 'Some transfers failed or were cancelled. Retry them, or forget their entries.';

export function automationView(record: AutomationRecord, status: LoopStatus, { ledger, questions }: Known): Automation {
  const { id, kind, fields, createdAt, updatedAt, lastRunAt } = record;
  const sending = ledger.sending + ledger.receiving;
  // The ledger may be ahead of the last pass.
  const works = status.state === 'watching' || status.state === 'working';
  const state = !works ? status.state : ledger.failed + questions > 0 ? 'needs_you' : sending > 0 ? 'working' : 'watching';
  const failed = works && ledger.failed > 0 ? someFailed : '';
  return {
    id,
    kind,
    ...fields,
    ...(record.kind === 'portal_upload' ? { has_access_code: record.secrets.accessCode !== undefined } : {}),
    state,
    message: status.message || failed,
    waiting_for: status.waitingFor,
    ...(status.waitingSince === null ? {} : { waiting_since: iso(status.waitingSince) }),
    ...(status.nextPassAt === null ? {} : { next_scan_at: iso(status.nextPassAt) }),
    ...(lastRunAt === null ? {} : { last_run_at: iso(lastRunAt) }),
    counts: {
      sent: ledger.sent + ledger.moved + ledger.deleted + ledger.received,
      waiting: status.waiting + sending,
      failed: ledger.failed,
      questions,
    },
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
  } as Automation;
}

export const resultView = ({ at, kind, name, transferId, message }: ResultRow): AutomationResult => ({
  at: iso(at),
  kind,
  name,
  ...(transferId === '' ? {} : { transfer_id: transferId }),
  message,
});

export const entryView = (row: LedgerRow): LedgerEntry => ({
  id: String(row.id),
  path: row.path,
  size: row.size,
  modified_at: iso(row.modifiedAt),
  ...(row.blake3 === '' ? {} : { blake3: row.blake3 }),
  ...(row.packageId === '' ? {} : { package_id: row.packageId }),
  ...(row.transferId === '' ? {} : { transfer_id: row.transferId }),
  state: row.state,
  ...(row.message === '' ? {} : { message: row.message }),
  at: iso(row.at),
});
