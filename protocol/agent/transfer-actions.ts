import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Literals } from '../schema.ts';
import { transferStates } from './transfer-states.ts';
import { Priority, TransferFilter } from './transfers.ts';

/** Actions on a batch of transfers, and the result of each one: docs/decisions/0025. */

const Count = Type.Integer({ minimum: 0 });

export const TransferSummary = Type.Object(
  {
    states: Type.Object(
      Object.fromEntries(transferStates.map((state) => [state, Count])) as Record<(typeof transferStates)[number], typeof Count>,
    ),
    needs_person: Type.Optional({ ...Count, description: 'How many stay as they are until a person does something.' }),
    bytes_left: {
      ...Bytes,
      description:
        'Of those that are not over and have not failed, as far as their size is known. Uploads that wait for their turn count by what their folders hold.',
    },
    unmeasured: Type.Optional({
      ...Count,
      description: 'How many uploads of these are not looked through yet, so that not all of their bytes are in `bytes_left`.',
    }),
    upload_bps: Type.Number({ minimum: 0, description: 'What uploads move now, in bytes a second.' }),
    download_bps: Type.Number({ minimum: 0 }),
  },
  { title: 'TransferSummary' },
);
export type TransferSummary = Static<typeof TransferSummary>;

const batchActions = ['pause', 'resume', 'retry', 'cancel', 'remove', 'priority'] as const;
const maxNamedTransfers = 10_000;

export const ActOnTransfers = Type.Object({
  action: Literals(batchActions, {
    description: '`cancel` is for those that are not over, `remove` for those that are; `priority` takes `priority`.',
  }),
  priority: Type.Optional(Priority),
  ids: Type.Optional(Type.Array(Id, { maxItems: maxNamedTransfers, description: 'These; or `matching`.' })),
  matching: Type.Optional(TransferFilter),
  except: Type.Optional(Type.Array(Id, { maxItems: maxNamedTransfers, description: 'Of those that match all but these.' })),
});
export type ActOnTransfers = Static<typeof ActOnTransfers>;

export const ActedOn = Type.Object(
  {
    done: Count,
    refused: Type.Integer({ minimum: 0, description: 'Their state does not allow it, or they are gone.' }),
    reason: Type.String({ description: 'Of the first that was refused; empty where none was.' }),
  },
  { title: 'ActedOn' },
);
export type ActedOn = Static<typeof ActedOn>;

const logEvents = [
  'added',
  'started',
  'interrupted',
  'paused',
  'resumed',
  'waiting',
  'going_on',
  'all_sent',
  'more_files',
  'names_changed',
  'new_package',
  'finalize_asked',
  'complete',
  'failed',
  'cancelled',
  'retried',
  'priority',
  'rate_limit',
  'due_at',
  'deadline',
] as const;
export type LogEvent = (typeof logEvents)[number];

export const TransferLog = Type.Object({
  records: Type.Array(
    Type.Object(
      {
        at: DateTime,
        event: Literals(logEvents),
        detail: Type.String({
          description:
            'Why, where there is a reason; the new priority, limit or deadline; what is wrong with the deadline; the first of the names. May be empty.',
        }),
      },
      { title: 'TransferLogEntry' },
    ),
    { description: 'The last 200, oldest first.' },
  ),
});
export type TransferLog = Static<typeof TransferLog>;

const common = { tag: 'Transfers', credentials: ['none'] } as const;

export const transferActionRoutes = defineRoutes({
  summarizeTransfers: {
    ...common,
    method: 'GET',
    path: '/api/v1/transfers/summary',
    summary: 'How many transfers are in each state, and how fast all move together.',
    query: TransferFilter,
    reply: { status: 200, body: TransferSummary },
  },
  actOnTransfers: {
    ...common,
    method: 'POST',
    path: '/api/v1/transfers/batch',
    summary: 'Pauses, resumes, retries, cancels, removes or ranks many transfers: those named, or all that match.',
    body: ActOnTransfers,
    reply: { status: 200, body: ActedOn },
    errors: ['invalid_request'],
    example: { action: 'pause', matching: { kind: 'upload', state: ['queued', 'transferring'] } },
  },
  listTransferLog: {
    ...common,
    method: 'GET',
    path: '/api/v1/transfers/{id}/log',
    summary: 'What became of a transfer, and when: its last 200 events.',
    params: Type.Object({ id: Id }),
    reply: { status: 200, body: TransferLog },
    errors: ['not_found'],
  },
});
