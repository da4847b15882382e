import type { Engine, PageOf, TransferPage } from '#engine/engine.ts';
import type { ChangeTransfer, FilePage } from '#protocol/agent/items.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { ApiError } from '#protocol/errors.ts';
import { automationHandlers } from './automations.ts';
import { eventStream } from './events.ts';
import type { AgentHandlers, Context } from './handler.ts';
import { mountHandlers } from './mounts.ts';

const page = <T>({ total, records }: PageOf<T>) => ({ metadata: { total }, records: [...records] });

const transferPage = ({ next, ...found }: TransferPage) => ({ ...page(found), ...(next === undefined ? {} : { next }) });

/** The transfer with this id and kind. A transfer of the other kind is not found under this path. */
async function ofKind(engine: Engine, kind: AgentTransfer['kind'], id: string): Promise<AgentTransfer> {
  const transfer = await engine.transfers.get(id);
  if (transfer.kind !== kind) throw new ApiError('not_found', { resource: kind });
  return transfer;
}

async function removeOfKind(engine: Engine, kind: AgentTransfer['kind'], id: string): Promise<undefined> {
  await ofKind(engine, kind, id);
  await engine.transfers.remove(id);
}

async function filesOfKind(engine: Engine, kind: AgentTransfer['kind'], id: string, query: FilePage) {
  await ofKind(engine, kind, id);
  return page(await engine.transfers.files(id, query));
}

type Verb = 'pause' | 'resume' | 'retry' | 'finalize';

/** Applies the verb to a transfer of this kind; `null` accepts any kind. */
async function act(engine: Engine, verb: Verb, kind: AgentTransfer['kind'] | null, id: string, hours?: number): Promise<undefined> {
  if (kind !== null) await ofKind(engine, kind, id);
  if (verb === 'pause') await engine.transfers.pause(id, hours);
  else await engine.transfers[verb](id);
  return undefined;
}

async function changeOfKind(
  { engine, restricted }: Context,
  kind: AgentTransfer['kind'],
  id: string,
  change: ChangeTransfer,
): Promise<AgentTransfer> {
  await ofKind(engine, kind, id);
  return engine.transfers.change(id, change, { restricted });
}

export const agentHandlers: AgentHandlers = {
  login: ({ body }, { engine }) => engine.session.signIn(body.email, body.password, body.code),
  getLogin: (_, { engine }) => engine.session.current(),
  logout: async (_, { engine }) => {
    await engine.session.signOut();
    return undefined;
  },
  listTeams: (_, { engine }) => engine.session.teams(),
  listSessions: async (_, { engine }) => engine.session.list(),
  createSession: ({ body }, { engine }) => engine.session.add(body),
  deleteSession: async ({ params }, { engine }) => {
    await engine.session.remove(params.id);
    return undefined;
  },

  startSsoSignIn: ({ body }, { engine }) => engine.session.sso.start(body),
  getSsoSignIn: async ({ params }, { engine }) => engine.session.sso.get(params.id),
  cancelSsoSignIn: async ({ params }, { engine }) => {
    engine.session.sso.cancel(params.id);
    return undefined;
  },

  listTeamPortals: ({ params }, { engine }) => engine.teams.portals(params.team_id),
  listGatewayConnections: ({ params }, { engine }) => engine.teams.gatewayConnections(params.team_id),

  createApiKey: ({ body }, { engine }) => engine.session.createApiKey(body),

  createUpload: ({ body }, { engine, restricted }) => engine.transfers.upload(body, { restricted }),
  createPortalUpload: ({ body }, { engine, restricted }) => engine.transfers.portalUpload(body, { restricted }),
  createDownload: ({ body }, { engine, restricted }) => engine.transfers.download(body, { restricted }),
  previewLink: ({ body }, { engine, signal }) => engine.transfers.previewLink(body, signal),
  previewHandover: ({ body }, { engine, signal }) => engine.handovers.preview(body.link, signal),
  matchHandover: ({ body }, { engine, restricted, signal }) => engine.handovers.match(body, { restricted, signal }),
  continueHandover: ({ body }, { engine, restricted }) => engine.handovers.continue(body, { restricted }),
  mailLinkCode: ({ body }, { engine, signal }) => engine.transfers.mailLinkCode(body, signal),
  mailDownloadCode: ({ params }, { engine }) => engine.transfers.mailDownloadCode(params.id),
  previewPortal: ({ body }, { engine, signal }) => engine.transfers.previewPortal(body, signal),
  listUploads: async ({ query }, { engine }) => transferPage(await engine.transfers.list('upload', query)),
  listDownloads: async ({ query }, { engine }) => transferPage(await engine.transfers.list('download', query)),
  listTransfers: async ({ query }, { engine }) => transferPage(await engine.transfers.list('all', query)),
  getTransfer: ({ params }, { engine }) => engine.transfers.get(params.id),
  removeTransfer: async ({ params }, { engine }) => {
    await engine.transfers.remove(params.id);
    return undefined;
  },
  listTransferFiles: async ({ params, query }, { engine }) => page(await engine.transfers.files(params.id, query)),
  getTransferReceipt: ({ params }, { engine }) => engine.transfers.receipt(params.id),
  summarizeTransfers: ({ query }, { engine }) => engine.transfers.summary(query),
  actOnTransfers: ({ body }, { engine }) => engine.transfers.actOnBatch(body),
  getSentPackage: ({ params }, { engine }) => engine.sentPackages.get(params.id),
  setSentExpiry: ({ params, body }, { engine }) => engine.sentPackages.setExpiry(params.id, body),
  deleteSentPackage: async ({ params }, { engine }) => {
    await engine.sentPackages.remove(params.id);
    return undefined;
  },
  addSentLink: ({ params, body }, { engine }) => engine.sentPackages.addLink(params.id, body),
  mailSentLink: async ({ params }, { engine }) => {
    await engine.sentPackages.mailLink(params.id, params.link_id);
    return undefined;
  },
  endSentLink: async ({ params }, { engine }) => {
    await engine.sentPackages.endLink(params.id, params.link_id);
    return undefined;
  },
  listTransferLog: ({ params }, { engine }) => engine.transfers.log(params.id),
  changeTransfer: ({ params, body }, { engine, restricted }) => engine.transfers.change(params.id, body, { restricted }),
  pauseTransfers: async ({ query }, { engine }) => {
    await engine.transfers.pauseAll(query.hours);
    return undefined;
  },
  resumeTransfers: async (_, { engine }) => {
    await engine.transfers.resumeAll();
    return undefined;
  },
  tryTransfersNow: async (_, { engine }) => {
    await engine.transfers.tryNow();
    return undefined;
  },
  pauseTransfer: ({ params, query }, { engine }) => act(engine, 'pause', null, params.id, query.hours),
  resumeTransfer: ({ params }, { engine }) => act(engine, 'resume', null, params.id),
  retryTransfer: ({ params }, { engine }) => act(engine, 'retry', null, params.id),
  finalizeTransfer: ({ params }, { engine }) => act(engine, 'finalize', null, params.id),

  getUpload: ({ params }, { engine }) => ofKind(engine, 'upload', params.id),
  removeUpload: ({ params }, { engine }) => removeOfKind(engine, 'upload', params.id),
  listUploadFiles: ({ params, query }, { engine }) => filesOfKind(engine, 'upload', params.id, query),
  changeUpload: ({ params, body }, context) => changeOfKind(context, 'upload', params.id, body),
  addUploadFiles: async ({ params, body }, { engine, restricted }) => {
    await ofKind(engine, 'upload', params.id);
    return engine.transfers.addFiles(params.id, body.paths, { restricted });
  },
  pauseUpload: ({ params, query }, { engine }) => act(engine, 'pause', 'upload', params.id, query.hours),
  resumeUpload: ({ params }, { engine }) => act(engine, 'resume', 'upload', params.id),
  retryUpload: ({ params }, { engine }) => act(engine, 'retry', 'upload', params.id),
  finalizeUpload: ({ params }, { engine }) => act(engine, 'finalize', 'upload', params.id),
  getDownload: ({ params }, { engine }) => ofKind(engine, 'download', params.id),
  removeDownload: ({ params }, { engine }) => removeOfKind(engine, 'download', params.id),
  listDownloadFiles: ({ params, query }, { engine }) => filesOfKind(engine, 'download', params.id, query),
  changeDownload: ({ params, body }, context) => changeOfKind(context, 'download', params.id, body),
  pauseDownload: ({ params, query }, { engine }) => act(engine, 'pause', 'download', params.id, query.hours),
  resumeDownload: ({ params }, { engine }) => act(engine, 'resume', 'download', params.id),
  retryDownload: ({ params }, { engine }) => act(engine, 'retry', 'download', params.id),
  finalizeDownload: ({ params }, { engine }) => act(engine, 'finalize', 'download', params.id),

  ...mountHandlers,
  ...automationHandlers,

  listFolder: ({ query }, { engine }) => engine.folders.list(query),
  listPlaces: (_, { engine, restricted }) => engine.folders.places(restricted),
  measurePaths: ({ body }, { engine, restricted, signal }) => engine.folders.measure(body.paths, { restricted, signal }),
  createDrop: ({ body }, { engine }) => engine.drops.create(body),
  getDroppedFile: async ({ params, query }, { engine }) => engine.drops.state(params.id, query.path),
  putDroppedFile: ({ params, query, body }, { engine }) => engine.drops.put(params.id, query, body),
  deleteDrop: async ({ params }, { engine }) => {
    await engine.drops.remove(params.id);
    return undefined;
  },
  findDropped: ({ body }, { engine, signal }) => engine.folders.find(body.entries, signal),

  getSettings: async (_, { engine }) => engine.settings.current(),
  updateSettings: ({ body }, { engine }) => engine.settings.update(body),
  getUploadRateLimit: async (_, { engine }) => engine.rateLimits.get('upload'),
  setUploadRateLimit: ({ body }, { engine }) => engine.rateLimits.set('upload', body),
  getDownloadRateLimit: async (_, { engine }) => engine.rateLimits.get('download'),
  setDownloadRateLimit: ({ body }, { engine }) => engine.rateLimits.set('download', body),

  createToken: ({ body }, { engine }) => engine.tokens.create(body),
  listTokens: async (_, { engine }) => engine.tokens.list(),
  deleteToken: async ({ params }, { engine }) => {
    await engine.tokens.revoke(params.id);
    return undefined;
  },
  listTokenCalls: async ({ params }, { engine }) => engine.tokens.calls(params.id),

  createPageAddress: async (_, { entry }) => {
    const { route, expiresAt } = entry.issue();
    return { place: route, expires_at: new Date(expiresAt).toISOString() };
  },
  enterPage: async ({ body }, { entry, wrong }) => {
    const token = entry.trade(body.code);
    if (token === null) throw wrong();
    return { token };
  },

  streamEvents: async ({ query }, { engine, lastEventId, signal }) =>
    eventStream(engine.events, { after: lastEventId ?? query.after ?? null, signal }),

  status: async (_, { engine }) => {
    const { warnings, transfers, unreachable, ...status } = engine.status();
    return { ...status, transfers: { ...transfers }, unreachable: [...unreachable], warnings: [...warnings] };
  },
  createSupportBundle: async (_, { engine, metrics }) => engine.supportBundle({ 'metrics.txt': await metrics.text() }),
  metrics: (_, { metrics }) => metrics.text(),
  healthz: async () => ({ status: 'ok' }),
};
