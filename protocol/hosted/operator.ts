import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Literals } from '../schema.ts';

/** What operators of the service see and do: contract/operator.md §1, §2, §3. */

export const operatorActions = [
  'operator.added',
  'operator.removed',
  'team.suspended',
  'team.activated',
  'team.quota_changed',
  'jobs.retried',
  'mails.retried',
] as const;
export type OperatorAction = (typeof operatorActions)[number];

/** `operator`: by a call. `command`: by `longshore admin`. `service`: at its start, by its options. */
export const operatorActorKinds = ['operator', 'command', 'service'] as const;

/** What every call for operators has: only a person's own sign-in counts, and never an API key. */
export const operatorCommon = { tag: 'Operator', credentials: ['user'] } as const;

const Count = Type.Integer({ minimum: 0, examples: [3] });

const Problem = Type.Object({
  code: Type.Integer({ examples: [327_683] }),
  message: Type.String({ examples: ['The disk of the service is full.'] }),
  since: DateTime,
});

const Disk = Type.Object({
  holds: Type.Array(Literals(['data', 'objects']), { description: '`data`: the data folder. `objects`: files of packages.' }),
  total: Bytes,
  free: Bytes,
});

const JobQueue = Type.Object({
  kind: Type.String({ examples: ['mail.send'] }),
  queued: { ...Count, description: 'Due, and not begun.' },
  active: Count,
  deferred: { ...Count, description: 'For later.' },
  failed: { ...Count, description: 'In the last 24 hours, for good.' },
});

const ScheduledJob = Type.Object({
  kind: Type.String({ examples: ['audit.sweep'] }),
  schedule: Type.String({ description: 'Cron, UTC.', examples: ['11 4 * * *'] }),
  ran_at: Type.Optional({
    ...DateTime,
    description: 'The end of the last run that was done. Absent: none in the time that runs are kept.',
  }),
  failed: Type.Optional(
    Type.Object(
      { at: DateTime, reason: Type.String({ examples: ['The disk of the service is full.'] }) },
      { description: 'The last run that failed. Absent: none in the time that runs are kept.' },
    ),
  ),
});

export const ServiceOverview = Type.Object(
  {
    problems: Type.Array(Problem, { description: 'As `/healthz` has them. Empty: all is well.' }),
    versions: Type.Object({
      service: Type.String({ examples: ['0.1.0'] }),
      node: Type.String({ examples: ['24.11.1'] }),
      postgresql: Type.String({ examples: ['17.6'] }),
      schema: Type.String({ description: 'The last migration of the database.', examples: ['0042-operators'] }),
    }),
    database: Type.Object({ private: Type.Boolean({ description: 'Run by the service itself.' }), size: Bytes }),
    storage: Type.Object({
      kind: Literals(['disk', 's3']),
      packages: { ...Count, description: 'That have files.' },
      bytes: { ...Bytes, description: 'That finalized packages take.' },
    }),
    disks: Type.Array(Disk, { description: 'Of the machine that answers.' }),
    teams: Type.Object({ active: Count, inactive: Count }),
    users: Count,
    jobs: Type.Object({
      failed: { ...Count, description: 'For good, within 30 days, and not done again.' },
      queues: Type.Array(JobQueue, { description: 'Counted about once a minute.' }),
      scheduled: Type.Array(ScheduledJob, { description: 'Jobs that come by themselves.' }),
      oldest_due_at: Type.Optional({ ...DateTime, description: 'Since when the oldest one that is due waits. Absent: none does.' }),
    }),
    mails: Type.Object({
      server: Type.Boolean({ description: 'False: there is none, and mail is written to the outbox folder.' }),
      waiting: Count,
      oldest_waiting_at: Type.Optional({ ...DateTime, description: 'Absent: none waits.' }),
      failed: Count,
    }),
    transfers: Type.Object({ pending: Count, started: Count }),
    gateways: Type.Object({ online: Count, offline: Count }),
  },
  { title: 'ServiceOverview' },
);
export type ServiceOverview = Static<typeof ServiceOverview>;

export const OperatorLogEntry = Type.Object(
  {
    id: Id,
    at: DateTime,
    action: Literals(operatorActions),
    actor: Type.Object({
      kind: Literals(operatorActorKinds),
      name: Type.String({ description: "The operator's e-mail address then; empty for the others.", examples: ['mia@example.com'] }),
    }),
    address: Type.String({ description: 'Empty for none.', examples: ['203.0.113.7'] }),
    target: Type.Optional(
      Type.Object({ kind: Type.String({ examples: ['user'] }), id: Type.String(), name: Type.String({ examples: ['jonas@example.com'] }) }),
    ),
    details: Type.Record(Type.String(), Type.Unknown(), { examples: [{}] }),
  },
  { title: 'OperatorLogEntry' },
);
export type OperatorLogEntry = Static<typeof OperatorLogEntry>;

/** `cursor` and `limit` of the operator's lists. */
export const operatorPage = {
  cursor: Type.Optional(Type.String({ maxLength: 128, description: '`next` of the answer before.' })),
  limit: Type.Integer({ minimum: 1, maximum: limits.auditPageSize, default: limits.pageSize }),
};
export const Next = Type.Optional(Type.String({ description: 'Asks for what follows. Absent: that is all.' }));

export const operatorRoutes = defineRoutes({
  serviceOverview: {
    ...operatorCommon,
    method: 'GET',
    path: '/v1/operator/overview',
    summary: 'How the service is: problems, versions, disks, jobs, mail, transfers. Operators only, as all calls here.',
    reply: { status: 200, body: ServiceOverview },
    errors: ['not_allowed'],
  },
  listOperatorLog: {
    ...operatorCommon,
    method: 'GET',
    path: '/v1/operator/log',
    summary: 'What operators did, and who was made one: the newest first.',
    query: Type.Object(operatorPage),
    reply: { status: 200, body: Type.Object({ records: Type.Array(OperatorLogEntry), next: Next }) },
    errors: ['not_allowed'],
  },
});
