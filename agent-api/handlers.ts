import type { Engine, PageOf } from '#engine/engine.ts';
import type { AgentRoutes } from '#protocol/agent/routes.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { ApiError } from '#protocol/errors.ts';
import type { Input, ReplyOf } from '#protocol/route.ts';
import { eventStream } from './events.ts';
import type { ServedRouteName } from './pending.ts';

/** What a handler gets besides its input. */
export interface Context {
  readonly engine: Engine;
  /** The `Last-Event-ID` header, where it is a number. */
  readonly lastEventId: number | null;
  /** Fires when the caller has gone or the agent stops. */
  readonly signal: AbortSignal;
}

/** One function for each served route; a missing one does not compile. */
export type AgentHandlers = {
  readonly [Name in ServedRouteName]: (input: Input<AgentRoutes[Name]>, context: Context) => Promise<ReplyOf<AgentRoutes[Name]>>;
};

const page = <T>({ total, records }: PageOf<T>) => ({ metadata: { total }, records: [...records] });

/** The transfer of this id if it is of the kind; one of the other kind is not found under this path. */
async function ofKind(engine: Engine, kind: AgentTransfer['kind'], id: string): Promise<AgentTransfer> {
  const transfer = await engine.transfers.get(id);
  if (transfer.kind !== kind) throw new ApiError('not_found', { resource: kind });
  return transfer;
}

async function removeOfKind(engine: Engine, kind: AgentTransfer['kind'], id: string): Promise<undefined> {
  await ofKind(engine, kind, id);
  await engine.transfers.remove(id);
}

async function filesOfKind(engine: Engine, kind: AgentTransfer['kind'], id: string, query: { page: number; limit: number }) {
  await ofKind(engine, kind, id);
  return page(await engine.transfers.files(id, query));
}

export const agentHandlers: AgentHandlers = {
  login: ({ body }, { engine }) => engine.session.signIn(body.email, body.password),
  getLogin: (_, { engine }) => engine.session.current(),
  logout: async (_, { engine }) => {
    await engine.session.signOut();
    return undefined;
  },
  listTeams: (_, { engine }) => engine.session.teams(),

  createUpload: ({ body }, { engine }) => engine.transfers.upload(body),
  createDownload: ({ body }, { engine }) => engine.transfers.download(body),
  listUploads: async ({ query }, { engine }) => page(await engine.transfers.list('upload', query)),
  listDownloads: async ({ query }, { engine }) => page(await engine.transfers.list('download', query)),
  listTransfers: async ({ query }, { engine }) => page(await engine.transfers.list('all', query)),
  getTransfer: ({ params }, { engine }) => engine.transfers.get(params.id),
  removeTransfer: async ({ params }, { engine }) => {
    await engine.transfers.remove(params.id);
    return undefined;
  },
  listTransferFiles: async ({ params, query }, { engine }) => page(await engine.transfers.files(params.id, query)),

  getUpload: ({ params }, { engine }) => ofKind(engine, 'upload', params.id),
  removeUpload: ({ params }, { engine }) => removeOfKind(engine, 'upload', params.id),
  listUploadFiles: ({ params, query }, { engine }) => filesOfKind(engine, 'upload', params.id, query),
  getDownload: ({ params }, { engine }) => ofKind(engine, 'download', params.id),
  removeDownload: ({ params }, { engine }) => removeOfKind(engine, 'download', params.id),
  listDownloadFiles: ({ params, query }, { engine }) => filesOfKind(engine, 'download', params.id, query),

  streamEvents: async ({ query }, { engine, lastEventId, signal }) =>
    eventStream(engine.events, { after: lastEventId ?? query.after ?? null, signal }),

  status: async (_, { engine }) => {
    const { warnings, transfers, ...status } = engine.status();
    return { ...status, transfers: { ...transfers }, warnings: [...warnings] };
  },
  healthz: async () => ({ status: 'ok' }),
};
