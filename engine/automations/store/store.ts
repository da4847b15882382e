import type Database from 'better-sqlite3';
import type { Sealer } from '../../secrets/seal.ts';
import { type Questions, questionsTable, type Results, resultsTable } from './history.ts';
import { type Ledger, ledgerTable } from './ledger.ts';
import { type AutomationRows, automationRows } from './records.ts';

/** All that automations keep in the state file. Every change uses `Store.writer.write`. */
export interface AutomationStore {
  readonly records: AutomationRows;
  readonly ledger: Ledger;
  readonly results: Results;
  readonly questions: Questions;
}

/** @param unreadable called with the name of an automation that cannot be read */
export function automationStore(db: Database.Database, sealer: Sealer, unreadable?: (name: string) => void): AutomationStore {
  return {
    records: automationRows(db, sealer, unreadable),
    ledger: ledgerTable(db),
    results: resultsTable(db),
    questions: questionsTable(db),
  };
}
