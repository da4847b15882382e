import type Database from 'better-sqlite3';
import type { FormField, FormValues } from '#protocol/hosted/forms.ts';
import type { Question, ResultKind, ResultRow } from '../record.ts';

/** What automations did last. Every change goes through the state's writer. */
export interface Results {
  /** Adds one; the last 100 of an automation stay. */
  add(automationId: string, result: ResultRow): void;
  /** The newest first. */
  last(automationId: string, limit: number): ResultRow[];
}

/** Forms that could not be completed. Every change goes through the state's writer. */
export interface Questions {
  /** Asks, or changes what is asked about this entry; answers that were given stay. */
  ask(automationId: string, question: Omit<Question, 'answers'>): void;
  answer(automationId: string, id: string, answers: FormValues): boolean;
  /** Of one entry. */
  of(automationId: string, entry: string): Question | null;
  /** All, by when they were asked. */
  all(automationId: string): Question[];
  /** How many wait for an answer. */
  open(automationId: string): number;
  remove(automationId: string, entry: string): void;
}

const maxResults = 100;

export function resultsTable(db: Database.Database): Results {
  const add = db.prepare('INSERT INTO automation_results (automation_id, at, kind, name, transfer_id, message) VALUES (?, ?, ?, ?, ?, ?)');
  const trim = db.prepare(`
    DELETE FROM automation_results WHERE automation_id = @id AND id <=
      (SELECT id FROM automation_results WHERE automation_id = @id ORDER BY id DESC LIMIT 1 OFFSET ${maxResults})`);
  const last = db.prepare<[string, number], { at: number; kind: ResultKind; name: string; transfer_id: string; message: string }>(
    'SELECT at, kind, name, transfer_id, message FROM automation_results WHERE automation_id = ? ORDER BY id DESC LIMIT ?',
  );
  return {
    add(id, { at, kind, name, transferId, message }) {
      add.run(id, at, kind, name, transferId, message);
      trim.run({ id });
    },
    last: (id, limit) => last.all(id, limit).map(({ transfer_id, ...row }) => ({ ...row, transferId: transfer_id })),
  };
}

interface Row {
  readonly id: string;
  readonly entry: string;
  readonly fields: string;
  readonly answers: string | null;
  readonly asked_at: number;
}

export function questionsTable(db: Database.Database): Questions {
  const ask = db.prepare(`
    INSERT INTO automation_questions (id, automation_id, entry, fields, asked_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (automation_id, entry) DO UPDATE SET fields = excluded.fields`);
  const answer = db.prepare('UPDATE automation_questions SET answers = ? WHERE automation_id = ? AND id = ?');
  const of = db.prepare<[string, string], Row>('SELECT * FROM automation_questions WHERE automation_id = ? AND entry = ?');
  const all = db.prepare<[string], Row>('SELECT * FROM automation_questions WHERE automation_id = ? ORDER BY asked_at, id');
  const open = db
    .prepare<[string], number>('SELECT count(*) FROM automation_questions WHERE automation_id = ? AND answers IS NULL')
    .pluck();
  const remove = db.prepare('DELETE FROM automation_questions WHERE automation_id = ? AND entry = ?');
  return {
    ask: (automationId, { id, entry, fields, askedAt }) => void ask.run(id, automationId, entry, JSON.stringify(fields), askedAt),
    answer: (automationId, id, answers) => answer.run(JSON.stringify(answers), automationId, id).changes > 0,
    of(automationId, entry) {
      const row = of.get(automationId, entry);
      return row ? questionOf(row) : null;
    },
    all: (automationId) => all.all(automationId).map(questionOf),
    open: (automationId) => open.get(automationId) ?? 0,
    remove: (automationId, entry) => void remove.run(automationId, entry),
  };
}

const questionOf = ({ id, entry, fields, answers, asked_at }: Row): Question => ({
  id,
  entry,
  fields: JSON.parse(fields) as FormField[],
  answers: answers === null ? null : (JSON.parse(answers) as FormValues),
  askedAt: asked_at,
});
