import { type Static, Type } from 'typebox';
import { FormField, FormValues } from '../../hosted/forms.ts';
import { Bytes, DateTime, Id, Literals } from '../../schema.ts';

/** What an automation did, knows and asks: contract/agent.md §10. */

export const AutomationResult = Type.Object(
  {
    at: DateTime,
    kind: Literals(['sent', 'received', 'failed', 'skipped', 'question']),
    name: Type.String({ description: 'The package, or what it was to be.' }),
    transfer_id: Type.Optional(Id),
    message: Type.String({ examples: [''] }),
  },
  { title: 'AutomationResult' },
);
export type AutomationResult = Static<typeof AutomationResult>;

export const ResultQuery = Type.Object({ limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }) });

/**
 * `existing` lay there at the start and is not sent. `sending` or `receiving` under way, then `sent`, then perhaps `moved` or `deleted`. `failed`: its transfer was
 * cancelled or failed for good. `left_out`: it went away before it was sent, and is sent once it is there again.
 */
export const ledgerStates = ['existing', 'sending', 'sent', 'moved', 'deleted', 'receiving', 'received', 'failed', 'left_out'] as const;

export const LedgerEntry = Type.Object(
  {
    id: Id,
    path: Type.String({
      description: 'A file inside the watched folder, with `/`; of a download, the package.',
      examples: ['day1/A001.mov'],
    }),
    size: Bytes,
    modified_at: DateTime,
    blake3: Type.Optional(Type.String()),
    package_id: Type.Optional(Id),
    transfer_id: Type.Optional(Id),
    state: Literals(ledgerStates, { description: '`existing` lay there at the start and is not sent; forgetting it sends it.' }),
    message: Type.Optional(Type.String({ description: 'What is wrong or was done, in words.', examples: ['The transfer was cancelled.'] })),
    at: { ...DateTime, description: 'When it got this state.' },
  },
  { title: 'LedgerEntry' },
);
export type LedgerEntry = Static<typeof LedgerEntry>;

export const LedgerQuery = Type.Object({
  after: Type.Optional({ ...Id, description: 'Goes on after the entry with this id. The newest come first.' }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  search: Type.Optional(Type.String({ maxLength: 1_024, description: 'A part of the path.' })),
});
export type LedgerQuery = Static<typeof LedgerQuery>;

export const ForgetEntries = Type.Object({
  ids: Type.Optional(Type.Array(Id, { maxItems: 10_000 })),
  all: Type.Optional(Type.Boolean({ description: 'Everything that is not under way.' })),
});
export type ForgetEntries = Static<typeof ForgetEntries>;

export const AutomationQuestion = Type.Object(
  {
    id: Id,
    entry: Type.String({ description: 'The file or folder inside the watched one.', examples: ['A001'] }),
    fields: Type.Array(FormField, { description: 'What is missing or does not fit.' }),
    asked_at: DateTime,
  },
  { title: 'AutomationQuestion' },
);
export type AutomationQuestion = Static<typeof AutomationQuestion>;

export const AnswerQuestion = Type.Object({ form: FormValues });
