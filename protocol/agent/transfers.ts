import { type Static, Type } from 'typebox';
import { ChunkSize, Notify } from '../hosted/packages.ts';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Email, Id, Literals, Name, Page, Secret, Text } from '../schema.ts';
import { DueAt, TransferDeadline } from './deadline.ts';
import { remedyFields } from './remedy.ts';
import { transferStates } from './transfer-states.ts';

/** Uploads, downloads and the agent's queue: contract/agent.md §3, §4. */

export const Priority = Literals(['low', 'normal', 'high']);

/** Why a transfer that could run does not run, as text for the user. `null` while nothing delays it. */
const Waiting = Type.Union([Type.Object({ reason: Type.String(), until: Type.Optional(DateTime), ...remedyFields }), Type.Null()]);

/** Categories of a transfer's time; `waiting` is time in which no work was running. */
export const timeCauses = ['reading', 'hashing', 'writing', 'network', 'limit', 'server', 'waiting'] as const;
const Seconds = Type.Number({ minimum: 0 });

const TimeSpent = Type.Object(
  {
    elapsed: Seconds,
    reading: Seconds,
    hashing: Seconds,
    writing: Seconds,
    network: Seconds,
    limit: Seconds,
    server: Seconds,
    waiting: Seconds,
    slowest: Type.Union([Literals(timeCauses), Type.Null()], { description: 'What most of the last seconds went into.' }),
  },
  {
    description:
      'Why it takes so long: where the seconds have gone in which it ran. `elapsed` is the sum of the others. ' +
      "`reading` and `writing` are this machine's disk, `limit` is a speed limit, `server` is an answer that is due, " +
      '`waiting` is time in which nothing was under way.',
  },
);

export const AgentTransfer = Type.Object(
  {
    id: Id,
    kind: Literals(['upload', 'download']),
    state: Literals(transferStates),
    name: Type.String({ description: "The package's name." }),
    team_id: Type.String({ description: 'Uploads: the Team; empty through a Portal.' }),
    portal: Type.Optional(
      Type.Object({ id: Type.String(), name: Type.String() }, { description: 'Uploads through a Portal: which. `name` may be empty.' }),
    ),
    service_url: Type.Optional(Type.String({ description: 'The service that it goes to or comes from.' })),
    automation_id: Type.Optional({ ...Id, description: 'The automation that made it.' }),
    package_id: Type.String(),
    packages_lost: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Uploads: packages begun before this one that the service did not know any more, as after it was put back from an older backup; all was sent anew.',
      }),
    ),
    url: Type.String({
      description:
        'The download link: of an upload once it is finalized (empty before, and for packages without a link), of a download where it comes from, its secret left out.',
    }),
    links: Type.Array(Type.Object({ email: Type.String(), url: Type.String() })),
    recipients: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Uploads: whom it goes to; once it is finalized, whom its links are for.',
        examples: [['post@example.com']],
      }),
    ),
    dst_folder: Type.String({ description: 'Downloads: the folder that receives the files.' }),
    paths: Type.Array(Type.String(), { description: 'Uploads: what was asked to be sent.' }),
    priority: Priority,
    position: Type.Integer({ description: 'Place in the queue, ascending.' }),
    deadline: Type.Optional(TransferDeadline),
    rate_limit_bps: Type.Optional(Type.Integer({ minimum: 0, description: 'Its own speed limit in bytes per second; 0 = none.' })),
    bytes: Bytes,
    total_bytes: Bytes,
    files: Type.Integer({ minimum: 0 }),
    total_files: Type.Integer({ minimum: 0 }),
    total_grows: Type.Optional(
      Type.Boolean({
        description:
          'Uploads: its folders are still read, or files of it still written, so that `total_bytes` and `total_files` grow. A share of them would go back.',
      }),
    ),
    share: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description:
          'How much is done, 1 only where it is complete; not there while the total grows. Where a file is larger than it was counted it stands still until it is passed again, and so may be more than `bytes` of `total_bytes`.',
        examples: [0.42],
      }),
    ),
    bytes_per_second: Type.Number({ minimum: 0, description: 'Over the last seconds.' }),
    seconds_left: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]),
    time_spent: Type.Optional(TimeSpent),
    finishing: Type.Optional(
      Type.Boolean({
        description: 'It was paused or stopped, and parts that need under five seconds more still go out. Paused again, it ends at once.',
      }),
    ),
    starting: Type.Optional(
      Type.Boolean({
        description:
          'It runs, and none of its bytes have moved since it began, since it goes on after a pause, or since what it waited for is over.',
      }),
    ),
    waiting: Waiting,
    error: Type.Union([
      Type.Object({
        ...{ code: Type.Integer(), message: Type.String(), retryable: Type.Boolean(), ...remedyFields },
        trace_id: Type.Optional(Type.String({ description: 'Under this id its calls stand in the log and the traces of the service.' })),
      }),
      Type.Null(),
    ]),
    receipt: Type.Optional(Type.Boolean({ description: 'Whether `GET /api/v1/transfers/{id}/receipt` has its signed receipt.' })),
    created_at: DateTime,
    updated_at: DateTime,
    finished_at: Type.Union([DateTime, Type.Null()]),
  },
  { title: 'Transfer' },
);
export type AgentTransfer = Static<typeof AgentTransfer>;

export const TransferFile = Type.Object(
  {
    id: Id,
    name: Type.String(),
    path: Type.String(),
    kind: Literals(['file', 'directory']),
    size: Bytes,
    bytes: Bytes,
    state: Literals(['pending', 'transferring', 'complete', 'skipped', 'error'], {
      description: '`skipped` was left out on purpose; `error` says why.',
    }),
    digest: Type.Optional(Type.String()),
    error: Type.Union([Type.Object({ code: Type.Integer(), message: Type.String(), ...remedyFields }), Type.Null()]),
  },
  { title: 'TransferFile' },
);
export type TransferFile = Static<typeof TransferFile>;

/** An absolute path on the agent's machine; the engine validates it and checks that it is inside an allowed folder. */
export const LocalPath = Type.String({ minLength: 1, maxLength: 32_767, examples: ['/media/A001'] });

export const CreateUpload = Type.Object({
  team_id: Id,
  paths: Type.Array(LocalPath, { minItems: 1, maxItems: 10_000 }),
  package_name: Name,
  package_description: Type.Optional(Text),
  recipients: Type.Array(Email, { maxItems: limits.recipients }),
  password: Type.Optional(Type.String({ maxLength: limits.passwordLength.max })),
  access_limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  unlimited_storage: Type.Optional(Type.Boolean()),
  expiry: Type.Optional({ ...DateTime, description: "When the package expires; the Team's usual time unless given." }),
  session_id: Type.Optional({ ...Id, description: 'Which of several sessions sends it; one that is in the Team unless given.' }),
  chunk_size: Type.Optional(ChunkSize),
  priority: Type.Optional(Priority),
  due_at: Type.Optional(DueAt),
  auto_finalize: Type.Optional(Type.Boolean({ default: true })),
  notify: Type.Optional({ ...Notify, description: "What the sender is told of by mail; the Team's choice unless given." }),
  verify_recipient: Type.Optional(
    Type.Boolean({
      description:
        'Asks each of `recipients`, of which it then needs some, for a code that is mailed to them; left out, as the Team has chosen.',
    }),
  ),
});
export type CreateUpload = Static<typeof CreateUpload>;

export const CreateDownload = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 4_096 }),
  password: Type.Optional(Secret),
  code: Type.Optional({ ...Secret, description: 'The mailed code that the link asks for, or `proof` of its preview.' }),
  dst_folder: LocalPath,
  file_ids: Type.Optional(Type.Array(Id, { maxItems: 100_000 })),
  create_package_folder: Type.Optional(Type.Boolean({ default: false })),
  allow_hidden: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Puts names that begin with a dot into the home folder itself too, instead of `hidden_names`.',
    }),
  ),
  priority: Type.Optional(Priority),
  due_at: Type.Optional(DueAt),
});
export type CreateDownload = Static<typeof CreateDownload>;

/** Filters of a list of transfers; all must match. */
const filterFields = {
  kind: Type.Optional(Literals(['upload', 'download'])),
  state: Type.Optional(Type.Array(Literals(transferStates), { maxItems: transferStates.length })),
  name: Type.Optional(Type.String({ maxLength: limits.nameLength, description: 'A part of the name.' })),
  team_id: Type.Optional(Id),
  portal_id: Type.Optional(Id),
  over_since: Type.Optional({ ...DateTime, description: 'Leaves out those that were complete or cancelled before then.' }),
  needs_person: Type.Optional(
    Type.Boolean({
      description: 'Those that stay as they are until a person does something: they failed, or wait for that. `false`: the others.',
    }),
  ),
};
export const TransferFilter = Type.Object(filterFields);
export type TransferFilter = Static<typeof TransferFilter>;

/** `created_at` and `position` of the last transfer of a page. */
const cursorPattern = '^-?[0-9]{1,16}_-?[0-9]{1,16}$';

const TransferPage = Type.Object({
  ...Page(AgentTransfer).properties,
  next: Type.Optional(Type.String({ description: 'With `sort=-created_at`: `after` of the next page; empty at the end.' })),
});

const sortFields = ['position', 'created_at', 'finished_at', 'name', 'state', 'total_bytes'] as const;
export const TransferQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
  sort: Type.Optional(
    Literals(['queue', ...sortFields, ...sortFields.map((field) => `-${field}` as const)] as const, {
      description: '`queue`: what is not over as its turns come (priority, then place), then what is over, the last first.',
    }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: limits.nameLength,
      description:
        'A part of the name, of a recipient or of the Portal; from three characters on also of the name of a file. Of more than 20,000 transfers or files the newest count.',
    }),
  ),
  after: Type.Optional(
    Type.String({ pattern: cursorPattern, description: '`next` of the answer before, in place of `page`; for `sort=-created_at`.' }),
  ),
  ...filterFields,
});
export type TransferQuery = Static<typeof TransferQuery>;

const common = { tag: 'Transfers', credentials: ['none'] } as const;

export const transferRoutes = defineRoutes({
  createUpload: {
    ...common,
    method: 'POST',
    path: '/api/v1/uploads',
    summary: 'Sends files and folders to a Team as a package.',
    body: CreateUpload,
    reply: { status: 201, body: AgentTransfer },
    errors: ['session_is_nil', 'path_not_found', 'path_not_absolute', 'path_unreadable', 'path_outside'],
    example: { team_id: '019a…', paths: ['/media/A001'], package_name: 'Dailies, day 12', recipients: ['post@example.com'] },
  },
  createDownload: {
    ...common,
    method: 'POST',
    path: '/api/v1/downloads',
    summary: 'Downloads the package behind a link into a folder. Needs no session.',
    body: CreateDownload,
    reply: { status: 201, body: AgentTransfer },
    errors: [
      'link_malformed',
      'path_not_absolute',
      'path_unreadable',
      'path_outside',
      'service_unreachable',
      'not_found',
      'link_password_wrong',
      'link_code_required',
      'link_code_wrong',
      'link_code_over',
      'link_expired',
      'hidden_names',
    ],
    example: { url: 'https://share.example.com/d/019a…?secret=…', dst_folder: '/media/incoming' },
  },
  listUploads: {
    ...common,
    method: 'GET',
    path: '/api/v1/uploads',
    summary: 'Lists uploads.',
    query: TransferQuery,
    reply: { status: 200, body: TransferPage },
  },
  listDownloads: {
    ...common,
    method: 'GET',
    path: '/api/v1/downloads',
    summary: 'Lists downloads.',
    query: TransferQuery,
    reply: { status: 200, body: TransferPage },
  },
  listTransfers: {
    ...common,
    method: 'GET',
    path: '/api/v1/transfers',
    summary: 'Lists uploads and downloads.',
    query: TransferQuery,
    reply: { status: 200, body: TransferPage },
  },
});
