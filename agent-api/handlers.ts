import type { Engine, PageOf } from '#engine/engine.ts';
import type { AgentRoutes } from '#protocol/agent/routes.ts';
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

  streamEvents: async ({ query }, { engine, lastEventId, signal }) =>
    eventStream(engine.events, { after: lastEventId ?? query.after ?? null, signal }),

  status: async (_, { engine }) => {
    const { warnings, transfers, ...status } = engine.status();
    return { ...status, transfers: { ...transfers }, warnings: [...warnings] };
  },
  healthz: async () => ({ status: 'ok' }),
};
