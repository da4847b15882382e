import { type Static, Type } from 'typebox';
import { LinkCode } from '../hosted/links.ts';
import { receiptMediaType, receiptTable } from '../receipt.ts';
import { defineRoutes } from '../route.ts';
import { Id, Literals, Page, Secret } from '../schema.ts';
import { DueAt } from './deadline.ts';
import { AgentTransfer, LocalPath, Priority, TransferFile } from './transfers.ts';

/**
 * One upload, download or transfer of the agent, and its actions: contract/agent.md §5. `/transfers/{id}` accepts ids
 * of both kinds; `/uploads/{id}` and `/downloads/{id}` accept only their own.
 */

export const ChangeTransfer = Type.Object({
  priority: Type.Optional(Priority),
  due_at: Type.Optional(Type.Union([DueAt, Type.Null()], { description: 'The deadline, which lies ahead; `null` takes it away.' })),
  position: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10_000_000, description: 'The place in the queue to move to; 0 is the first.' }),
  ),
  dst_folder: Type.Optional({
    ...LocalPath,
    description:
      'Downloads: another folder. It begins anew there, and what has come whole stays where it is. One that failed is then to be tried again.',
  }),
  password: Type.Optional({ ...Secret, description: 'Downloads: the password of the link. It is tried at once.' }),
  code: Type.Optional({ ...Secret, description: 'Downloads: the mailed code that the link asks for. It is tried at once.' }),
  access_code: Type.Optional({ ...Secret, description: 'Uploads through a Portal: its access code.' }),
  rate_limit_bps: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Bytes per second; 0 = none.' })),
});
export type ChangeTransfer = Static<typeof ChangeTransfer>;

const AddFiles = Type.Object({ paths: Type.Array(LocalPath, { minItems: 1, maxItems: 10_000 }) });

const PauseQuery = Type.Object({
  hours: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 8_784,
      description: 'Goes on by itself after so many; left out, when it is resumed.',
      examples: [2],
    }),
  ),
});

export const FilePage = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  state: Type.Optional(
    Literals(['pending', 'complete', 'skipped', 'error'], { description: 'Only these; `transferring` ones are `pending`.' }),
  ),
});
export type FilePage = Static<typeof FilePage>;

const common = { tag: 'Transfers', credentials: ['none'], params: Type.Object({ id: Id }) } as const;
const changed = { status: 204 } as const;

function item<const C extends 'uploads' | 'downloads' | 'transfers'>(collection: C, what: string) {
  const path = `/api/v1/${collection}/{id}` as const;
  return {
    get: {
      ...common,
      method: 'GET',
      path,
      summary: `Reads ${what}.`,
      reply: { status: 200, body: AgentTransfer },
      errors: ['not_found'],
    },
    remove: {
      ...common,
      method: 'DELETE',
      path,
      summary: `Cancels ${what} that is not over; removes one that is from the list.`,
      reply: changed,
      errors: ['not_found'],
    },
    change: {
      ...common,
      method: 'PATCH',
      path,
      summary: `Changes priority, deadline, place in the queue, speed limit, folder, link password, mailed code or access code of ${what}.`,
      body: ChangeTransfer,
      reply: { status: 200, body: AgentTransfer },
      errors: [
        'not_found',
        'transfer_conflict',
        'path_not_absolute',
        'path_unreadable',
        'path_outside',
        'link_password_wrong',
        'link_code_required',
        'link_code_wrong',
        'link_code_over',
        'service_unreachable',
      ],
      example: { priority: 'high' },
    },
    files: {
      ...common,
      method: 'GET',
      path: `${path}/files`,
      summary: `Lists the files of ${what}.`,
      query: FilePage,
      reply: { status: 200, body: Page(TransferFile) },
      errors: ['not_found'],
    },
    pause: {
      ...common,
      method: 'PUT',
      path: `${path}/pause`,
      summary: `Pauses ${what}, for some hours or until it is resumed.`,
      query: PauseQuery,
      reply: changed,
      errors: ['not_found', 'transfer_conflict'],
    },
    resume: {
      ...common,
      method: 'PUT',
      path: `${path}/resume`,
      summary: `Goes on with ${what} that is paused.`,
      reply: changed,
      errors: ['not_found', 'transfer_conflict'],
    },
    retry: {
      ...common,
      method: 'PUT',
      path: `${path}/retry`,
      summary: `Tries ${what} that failed or was cancelled again, where it stopped.`,
      reply: changed,
      errors: ['not_found', 'transfer_conflict'],
    },
    finalize: {
      ...common,
      method: 'PUT',
      path: `${path}/finalize`,
      summary: `Finalizes ${what} that is idle: all is sent, and nothing more will come. One that ended because some files failed goes on without those. Any other download has nothing to finalize (409).`,
      reply: changed,
      errors: ['not_found', 'transfer_conflict'],
    },
  } as const;
}

const upload = item('uploads', 'an upload');
const download = item('downloads', 'a download');
const transfer = item('transfers', 'a transfer');

export const itemRoutes = defineRoutes({
  getTransfer: transfer.get,
  removeTransfer: transfer.remove,
  changeTransfer: transfer.change,
  listTransferFiles: transfer.files,
  getTransferReceipt: {
    ...common,
    method: 'GET',
    path: '/api/v1/transfers/{id}/receipt',
    summary: "The receipt of a transfer that is through: the package's files with their digests, signed by its service and checked.",
    reply: { status: 200, stream: receiptMediaType },
    errors: ['not_found', 'transfer_conflict'],
    tables: [receiptTable],
  },
  pauseTransfers: {
    tag: 'Transfers',
    credentials: ['none'],
    method: 'PUT',
    path: '/api/v1/transfers/pause',
    summary: 'Pauses all transfers that run or queue, and those that come meanwhile, for some hours or until all are resumed.',
    query: PauseQuery,
    reply: changed,
  },
  resumeTransfers: {
    tag: 'Transfers',
    credentials: ['none'],
    method: 'PUT',
    path: '/api/v1/transfers/resume',
    summary: 'Goes on with all transfers that are paused.',
    reply: changed,
  },
  tryTransfersNow: {
    tag: 'Transfers',
    credentials: ['none'],
    method: 'PUT',
    path: '/api/v1/transfers/try_now',
    summary: 'Tries all that waits for another attempt now, and asks the services that could not be reached.',
    reply: changed,
  },
  pauseTransfer: transfer.pause,
  resumeTransfer: transfer.resume,
  retryTransfer: transfer.retry,
  finalizeTransfer: transfer.finalize,

  getUpload: upload.get,
  removeUpload: upload.remove,
  changeUpload: upload.change,
  listUploadFiles: upload.files,
  addUploadFiles: {
    ...common,
    method: 'POST',
    path: '/api/v1/uploads/{id}/files',
    summary: 'Adds files and folders to an upload that is not finalized.',
    body: AddFiles,
    reply: { status: 200, body: AgentTransfer },
    errors: ['not_found', 'transfer_conflict', 'path_not_found', 'path_not_absolute', 'path_unreadable', 'path_outside'],
    example: { paths: ['/media/A002'] },
  },
  pauseUpload: upload.pause,
  resumeUpload: upload.resume,
  retryUpload: upload.retry,
  finalizeUpload: upload.finalize,

  getDownload: download.get,
  removeDownload: download.remove,
  changeDownload: download.change,
  listDownloadFiles: download.files,
  pauseDownload: download.pause,
  resumeDownload: download.resume,
  retryDownload: download.retry,
  finalizeDownload: download.finalize,
  mailDownloadCode: {
    ...common,
    method: 'POST',
    path: '/api/v1/transfers/{id}/code',
    summary: 'Has the code mailed that the link of a download asks its recipient for.',
    reply: { status: 200, body: LinkCode },
    errors: ['not_found', 'transfer_conflict', 'service_unreachable', 'state_conflict', 'rate_limited'],
  },
});
