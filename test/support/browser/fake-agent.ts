import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { defaultSettings } from '#engine/settings.ts';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import type { AgentEvent } from '#protocol/agent/events.ts';
import type { FolderListing } from '#protocol/agent/folders.ts';
import type { DroppedEntry } from '#protocol/agent/paths.ts';
import type { LinkPreview, PreviewLink, PreviewPortal } from '#protocol/agent/previews.ts';
import type { SentPackage } from '#protocol/agent/sent-package.ts';
import type { AgentSession } from '#protocol/agent/session.ts';
import type { CreateSession, SignedIn } from '#protocol/agent/sessions.ts';
import type { Settings } from '#protocol/agent/settings.ts';
import type { UnreachableService } from '#protocol/agent/system.ts';
import type { ApplicationToken, TokenCall } from '#protocol/agent/tokens.ts';
import type { TransferLog } from '#protocol/agent/transfer-actions.ts';
import type { AgentTransfer, CreateDownload, CreateUpload, TransferFile } from '#protocol/agent/transfers.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import type { LinkCode } from '#protocol/hosted/links.ts';
import type { PublicPortal } from '#protocol/hosted/portals.ts';
import { answerAccount } from './fake-agent-account.ts';
import { answerTransfers, listed } from './fake-agent-transfers.ts';
import { FakeAutomations } from './fake-automations.ts';
import { FakeDrops } from './fake-drops.ts';
import { answerFolders } from './fake-folders.ts';
import { FakeMounts } from './fake-mounts.ts';
import { sampleRateLimit } from './samples.ts';
import { sendFile } from './static-files.ts';

/** The `POST`s that make nothing. */
const answersWith200 = /\/(preview|code|batch|check|measure|find|dry_run|test_patterns|import|forget)$/;

type NewEvent = AgentEvent extends infer E ? (E extends { id: number } ? Omit<E, 'id'> : never) : never;

export interface FakeAgentOptions {
  /** The folder of the built page. */
  readonly gui: string;
  readonly session?: AgentSession | null;
  readonly otherSessions?: readonly SignedIn[];
  readonly transfers?: readonly AgentTransfer[];
  readonly files?: readonly TransferFile[];
  readonly automations?: readonly Automation[];
  readonly warnings?: readonly string[];
  readonly log?: TransferLog['records'];
  /** When set, every call but for the page itself needs it as bearer token. */
  readonly token?: string;
  /** The port to begin on if nobody has it; 0 or none is one that the system names. It stays the same from then on. */
  readonly port?: number;
}

/** What the fake was asked, for tests to look at. */
export interface FakeCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/**
 * An agent whose every move the test makes: the real contract over real HTTP, no engine behind it. It keeps and
 * replays events as the real one does. `stop` and `start` make it die and come back on the same port.
 */
export class FakeAgent {
  readonly calls: FakeCall[] = [];
  /** Who is signed in at the agent's own service. */
  session: AgentSession | null;
  /** Sessions beside it. */
  otherSessions: readonly SignedIn[];
  transfers: Map<string, AgentTransfer>;
  /** What became of a transfer, the same of each. */
  log: TransferLog['records'];
  settings: Settings = defaultSettings('/home/mia');
  /** Answers sign-in: the session, or the error to give. */
  signIn: (email: string, password: string, request: CreateSession) => AgentSession = () => {
    throw new ApiError('wrong_password');
  };
  /** Looks at a new transfer and makes it, or throws what the agent would answer. */
  create: (body: CreateUpload & CreateDownload) => AgentTransfer = () => {
    throw new ApiError('internal');
  };
  /** What is behind a link, or the error that the agent answers. */
  previewLink: (body: PreviewLink) => LinkPreview = () => {
    throw new ApiError('not_found', { resource: 'link' });
  };
  /** Has a link's code mailed. */
  mailLinkCode: () => LinkCode = () => ({ recipient: 'm…@example.com', valid_seconds: 600, pause_seconds: 60 });
  previewPortal: (body: PreviewPortal) => PublicPortal = () => {
    throw new ApiError('not_found', { resource: 'Portal' });
  };
  /** The folders of its machine, by path; the first is the first allowed one. */
  folders: readonly FolderListing[] = [];
  /** Paths that are not there. */
  missing: readonly string[] = [];
  /** Where something lies that was dropped. */
  found: (entry: DroppedEntry) => string | null = () => null;
  sent: Partial<SentPackage> = {};
  readonly drops = new FakeDrops();
  readonly automations = new FakeAutomations((event) => this.emit(event));
  readonly mounts = new FakeMounts((event) => this.emit(event));
  tokens: readonly ApplicationToken[] = [];
  /** What was done with a token, the same of each. */
  tokenCalls: readonly TokenCall[] = [];
  rateLimits = { upload: sampleRateLimit(), download: sampleRateLimit() };
  /** Services that cannot be reached; `tellServices` says so. */
  unreachable: readonly UnreachableService[] = [];
  /** What comes of asking them at once. */
  tryNow: () => void = () => undefined;
  /** When set, `GET /transfers` answers this error. */
  listFailure: ApiError | null = null;
  /** Called with the path of each call before it is answered: the answer waits for it, and what it throws is the answer. */
  before: (path: string) => Promise<void> | void = () => undefined;
  /** Called with the method and path of each call once it has taken effect: its answer waits for it. */
  after: (call: string) => Promise<void> | void = () => undefined;
  readonly #options: FakeAgentOptions;
  readonly #events: AgentEvent[] = [];
  readonly #streams = new Set<ServerResponse>();
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port: number;
  #begun = false;

  constructor(options: FakeAgentOptions) {
    this.#options = options;
    this.#port = options.port ?? 0;
    this.session = options.session ?? null;
    this.otherSessions = options.otherSessions ?? [];
    this.log = options.log ?? [];
    for (const one of options.automations ?? []) this.automations.all.set(one.id, one);
    this.transfers = new Map((options.transfers ?? []).map((one) => [one.id, one]));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** How many pages follow the events now. */
  get followers(): number {
    return this.#streams.size;
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    await listen(server, this.#port).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' || this.#begun) throw error;
      return listen(server, 0);
    });
    this.#begun = true;
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Dies: every connection is cut. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    this.#streams.clear();
    await closed;
  }

  /** Keeps an event and sends it to all who follow. */
  emit(event: NewEvent): void {
    const whole = { id: this.#events.length + 1, ...event } as AgentEvent;
    this.#events.push(whole);
    for (const stream of this.#streams) write(stream, whole);
  }

  /** Every session, as the agent lists them. */
  get sessions(): SignedIn[] {
    const own: SignedIn[] = this.session
      ? [{ id: 'session-1', service_url: 'https://share.example.com', kind: 'user', state: 'active', login: true, ...this.session }]
      : [];
    return [...own, ...this.otherSessions];
  }

  /** Says what the settings are now. */
  tellSettings(): void {
    this.emit({ type: 'settings.changed', settings: this.settings });
  }

  /** Says which services cannot be reached now. */
  tellServices(unreachable: readonly UnreachableService[]): void {
    this.unreachable = unreachable;
    this.emit({ type: 'services.changed', unreachable: [...unreachable] });
  }

  /** Says what sessions there are now. */
  tellSessions(): void {
    this.emit({ type: 'sessions.changed', sessions: this.sessions });
    this.emit({ type: 'session.changed', session: this.session });
  }

  /** Changes a transfer and says so. */
  change(id: string, change: Partial<AgentTransfer>): void {
    const transfer = { ...this.transfers.get(id)!, ...change };
    this.transfers.set(id, transfer);
    this.emit({ type: 'transfer.changed', transfer });
  }

  remove(id: string): void {
    this.transfers.delete(id);
    this.emit({ type: 'transfer.removed', transfer_id: id });
  }

  add(transfer: AgentTransfer): void {
    this.transfers.set(transfer.id, transfer);
    this.emit({ type: 'transfer.added', transfer });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = new URL(request.url ?? '/', this.url);
    try {
      if (!address.pathname.startsWith('/api/')) {
        const path = address.pathname === '/' ? 'index.html' : address.pathname;
        if (!(await sendFile(response, this.#options.gui, path))) throw new ApiError('not_found', { resource: 'page' });
        return;
      }
      if (this.#options.token && request.headers.authorization !== `Bearer ${this.#options.token}`)
        throw new AgentError('agent_token_required');
      const body = await bodyOf(request);
      this.calls.push({ method: request.method ?? '', path: address.pathname, body });
      if (address.pathname === '/api/v1/events') return this.#follow(request, response);
      await this.before(address.pathname);
      const call = `${request.method} ${address.pathname}`;
      const aboutDrop = await this.drops.answer(call, address.searchParams, body);
      const answer = aboutDrop ? aboutDrop.answer : this.#route(call, address, body);
      await this.after(call);
      if (answer === undefined) response.writeHead(204).end();
      else send(response, request.method === 'POST' && !answersWith200.test(address.pathname) ? 201 : 200, answer);
    } catch (error) {
      const failure = error instanceof ApiError ? error : new ApiError('internal', { id: String(error) });
      send(response, failure.status, failure.body);
    }
  }

  #route(call: string, address: URL, body: unknown): unknown {
    switch (call) {
      case 'POST /api/v1/links/preview':
        return this.previewLink(body as PreviewLink);
      case 'POST /api/v1/links/code':
        return this.mailLinkCode();
      case 'POST /api/v1/portals/preview':
        return this.previewPortal(body as PreviewPortal);
      case 'GET /api/v1/uploads':
        return pageOf(
          [...this.transfers.values()].filter(({ kind }) => kind === 'upload'),
          address,
        );
      case 'GET /api/v1/status':
        return {
          version: '0.1.0',
          service_url: 'https://share.example.com',
          signed_in: this.session !== null,
          started_at: '2026-11-20T08:00:00.000Z',
          transfers: { active: 0, queued: 0, failed: 0 },
          paused: null,
          unreachable: this.unreachable,
          warnings: this.#options.warnings ?? [],
        };
      case 'PUT /api/v1/transfers/try_now':
        this.tryNow();
        return undefined;
      case 'GET /api/v1/transfers': {
        if (this.listFailure) throw this.listFailure;
        return keyedPage(listed(this.transfers.values(), address.searchParams), address);
      }
      case 'POST /api/v1/uploads':
      case 'POST /api/v1/uploads/portal':
      case 'POST /api/v1/downloads': {
        const transfer = this.create(body as CreateUpload & CreateDownload);
        this.add(transfer);
        return transfer;
      }
    }
    const aboutAccount = answerAccount(this, call, body);
    if (aboutAccount) return aboutAccount.answer;
    const aboutFolders = answerFolders(this, call, address.searchParams, body);
    if (aboutFolders) return aboutFolders.answer;
    const method = call.split(' ')[0]!;
    if (address.pathname.startsWith('/api/v1/automations')) return this.automations.answer(method, address, body);
    const aboutMounts = this.mounts.answer(method, address, body);
    if (aboutMounts) return aboutMounts.answer;
    const about = address.pathname.startsWith('/api/v1/transfers/') && answerTransfers(this, method, address, body);
    if (about) return about.answer;
    const [, id, files] = /^\w+ \/api\/v1\/transfers\/([^/]+)(\/files)?$/.exec(call) ?? [];
    const transfer = this.transfers.get(id ?? '');
    if (!transfer) throw new ApiError('not_found', { resource: 'transfer' });
    if (files) return pageOf(this.#options.files ?? [], address);
    if (method === 'DELETE') {
      if (transfer.state === 'complete' || transfer.state === 'cancelled') this.remove(transfer.id);
      else this.change(transfer.id, { state: 'cancelled', finished_at: transfer.updated_at });
      return undefined;
    }
    return transfer;
  }

  #follow(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(': here\n\n');
    const last = Number(request.headers['last-event-id'] ?? this.#events.length);
    for (const event of this.#events) if (event.id > last) write(response, event);
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function pageOf<T>(records: readonly T[], address: URL): { metadata: { total: number }; records: T[] } {
  const limit = Number(address.searchParams.get('limit') ?? 50);
  const from = (Number(address.searchParams.get('page') ?? 1) - 1) * limit;
  return { metadata: { total: records.length }, records: records.slice(from, from + limit) };
}

/** With `after` in place of the page's number; its first part is where the next page begins. */
function keyedPage<T>(records: readonly T[], address: URL) {
  const limit = Number(address.searchParams.get('limit') ?? 50);
  const after = address.searchParams.get('after');
  if (after === null) return { ...pageOf(records, address), next: records.length > limit ? `${limit}_0` : '' };
  const from = Number(after.split('_')[0]);
  return {
    metadata: { total: records.length },
    records: records.slice(from, from + limit),
    next: from + limit < records.length ? `${from + limit}_0` : '',
  };
}

function write(stream: ServerResponse, event: AgentEvent): void {
  stream.write(`id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.headers['content-type'] === 'application/octet-stream') return Buffer.concat(chunks);
  return chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : undefined;
}
