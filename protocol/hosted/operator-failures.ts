import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Literals } from '../schema.ts';
import { Next, operatorCommon, operatorPage } from './operator.ts';

/** Work that failed for good, to be done again: contract/operator.md §5. */

const Ids = Type.Array(Id, { minItems: 1, maxItems: 200 });
const Retried = Type.Object({ retried: Type.Integer({ minimum: 0, description: 'How many are done again.', examples: [1] }) });
const Reason = Type.String({ description: 'What was said last, in one line.', examples: ['connect ECONNREFUSED 127.0.0.1:25'] });

export const FailedJob = Type.Object(
  {
    id: Id,
    kind: Type.String({ examples: ['packages.free'] }),
    attempts: Type.Integer({ minimum: 1, examples: [51] }),
    reason: Reason,
    about: Type.Record(Type.String(), Type.String(), { description: 'Ids of what it is about.', examples: [{ package_id: '019aa1b2' }] }),
    created_at: DateTime,
    failed_at: DateTime,
  },
  { title: 'FailedJob' },
);
export type FailedJob = Static<typeof FailedJob>;

export const ListedFailedMail = Type.Object(
  {
    id: Id,
    kind: Type.String({ examples: ['link'] }),
    recipient: Type.String({ examples: ['jonas@example.com'] }),
    state: Literals(['refused', 'gave_up'], {
      description: '`refused`: by the mail server, for this recipient. `gave_up`: after all attempts.',
    }),
    attempts: Type.Integer({ minimum: 0, examples: [51] }),
    reason: Reason,
    package_id: Type.Optional(Id),
    created_at: DateTime,
    failed_at: DateTime,
  },
  { title: 'FailedMail' },
);
export type ListedFailedMail = Static<typeof ListedFailedMail>;

export const IntegrityFinding = Type.Object(
  {
    kind: Literals(['missing', 'damaged', 'altered', 'orphan', 'foreign', 'miscounted']),
    key: Type.String({ description: "The object's key, or the segment's or package's id.", examples: ['019aa1b2'] }),
    path: Type.String({ description: 'In the folder or bucket of objects.' }),
    size: Type.Optional(Bytes),
    team_id: Type.Optional(Id),
    package_id: Type.Optional(Id),
    package_name: Type.Optional(Type.String({ examples: ['Dailies'] })),
    file_id: Type.Optional(Id),
    file_name: Type.Optional(Type.String({ description: 'With its folders.', examples: ['a/b/one.bin'] })),
    detail: Type.String({ description: 'What does not agree; may be empty.', examples: [''] }),
    found_at: DateTime,
  },
  { title: 'IntegrityFinding' },
);
export type IntegrityFinding = Static<typeof IntegrityFinding>;

export const operatorFailureRoutes = defineRoutes({
  listFailedJobs: {
    ...operatorCommon,
    method: 'GET',
    path: '/v1/operator/failed_jobs',
    summary: 'Lists jobs that failed for good within 30 days, the latest first.',
    query: Type.Object({ kind: Type.Optional(Type.String({ maxLength: 64 })), ...operatorPage }),
    reply: {
      status: 200,
      body: Type.Object({
        kinds: Type.Array(
          Type.Object({ kind: Type.String({ examples: ['packages.free'] }), count: Type.Integer({ minimum: 1, examples: [2] }) }),
          {
            description: 'All of them, by kind.',
          },
        ),
        records: Type.Array(FailedJob),
        next: Next,
      }),
    },
    errors: ['not_allowed'],
  },
  retryFailedJobs: {
    ...operatorCommon,
    method: 'POST',
    path: '/v1/operator/failed_jobs/retry',
    summary: 'Does failed jobs again, with all attempts before them: those named, or up to 1,000 of a kind. Give one of both.',
    body: Type.Object({ ids: Type.Optional(Ids), kind: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) }),
    reply: { status: 200, body: Retried },
    errors: ['not_allowed'],
    example: { kind: 'packages.free' },
  },
  listIntegrityFindings: {
    ...operatorCommon,
    method: 'GET',
    path: '/v1/operator/integrity_findings',
    summary: 'Lists what checks of the storage have found and none has found mended: files without their bytes first.',
    query: Type.Object(operatorPage),
    reply: { status: 200, body: Type.Object({ records: Type.Array(IntegrityFinding), next: Next }) },
    errors: ['not_allowed'],
  },
  listFailedMails: {
    ...operatorCommon,
    method: 'GET',
    path: '/v1/operator/failed_mails',
    summary: 'Lists mails that reached nobody, the latest first.',
    query: Type.Object(operatorPage),
    reply: { status: 200, body: Type.Object({ records: Type.Array(ListedFailedMail), next: Next }) },
    errors: ['not_allowed'],
  },
  retryFailedMails: {
    ...operatorCommon,
    method: 'POST',
    path: '/v1/operator/failed_mails/retry',
    summary: 'Sends failed mails again, with all attempts before them; their text is made of what is so then.',
    body: Type.Object({ ids: Ids }),
    reply: { status: 200, body: Retried },
    errors: ['not_allowed'],
  },
});
