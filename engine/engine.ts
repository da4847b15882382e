import type { AgentEvent } from '#protocol/agent/events.ts';
import type { FolderListing, FolderQuery } from '#protocol/agent/folders.ts';
import type { ChangeTransfer, FilePage } from '#protocol/agent/items.ts';
import type { ActedOn, ActOnTransfers, TransferLog, TransferSummary } from '#protocol/agent/many-transfers.ts';
import type { CreatePortalUpload } from '#protocol/agent/portal-uploads.ts';
import type { LinkPreview, PreviewLink, PreviewPortal } from '#protocol/agent/previews.ts';
import type { AgentSession, AgentTeam } from '#protocol/agent/session.ts';
import type { CreateSession, SignedIn } from '#protocol/agent/sessions.ts';
import type { RateLimit, Settings, UpdateSettings } from '#protocol/agent/settings.ts';
import type {
  AgentTransfer,
  CreateDownload,
  CreateUpload,
  TransferFile,
  TransferFilter,
  TransferQuery,
} from '#protocol/agent/transfers.ts';
import type { PublicPortal } from '#protocol/hosted/portals.ts';
import type { Tokens } from './tokens/tokens.ts';

export interface PageOf<T> {
  readonly total: number;
  readonly records: readonly T[];
}

/** What the engine tells the world: an id that only grows, and one change. `events.lost`: some are no longer kept, so read anew. */
export type EngineEvent = AgentEvent;

export interface EngineStatus {
  readonly version: string;
  readonly service_url: string;
  readonly signed_in: boolean;
  readonly started_at: string;
  readonly transfers: { readonly active: number; readonly queued: number; readonly failed: number };
  /** While all transfers are paused; `until`: when they go on by themselves. */
  readonly paused: { readonly until: string | null } | null;
  /** Plain sentences that the person should know, e.g. that secrets are in a vault file. */
  readonly warnings: readonly string[];
}

/** Who asks for a transfer. */
export interface Asking {
  /** A caller who may use the allowed folders alone: the transfer is held to them for as long as it runs. */
  readonly fenced: boolean;
}

/**
 * The agent's core. All failures are `ApiError`s of the catalogue. The HTTP API and the command line
 * are thin skins over this.
 */
export interface Engine {
  readonly session: {
    /** `session_is_nil` when nobody is signed in. */
    current(): Promise<AgentSession>;
    signIn(email: string, password: string): Promise<AgentSession>;
    signOut(): Promise<void>;
    teams(): Promise<AgentTeam[]>;
    /** All sessions, that of `current` first. Their services are asked anew behind it; news comes as an event. */
    list(): SignedIn[];
    /** One more session, with any service. */
    add(request: CreateSession): Promise<SignedIn>;
    remove(id: string): Promise<void>;
  };
  readonly transfers: {
    upload(request: CreateUpload, asking?: Asking): Promise<AgentTransfer>;
    /** Through a Portal; needs no session. */
    portalUpload(request: CreatePortalUpload, asking?: Asking): Promise<AgentTransfer>;
    download(request: CreateDownload, asking?: Asking): Promise<AgentTransfer>;
    /** What is behind a link, before anything is downloaded. */
    previewLink(request: PreviewLink, signal?: AbortSignal): Promise<LinkPreview>;
    /** What a Portal asks of a sender. */
    previewPortal(request: PreviewPortal, signal?: AbortSignal): Promise<PublicPortal>;
    list(kind: 'upload' | 'download' | 'all', query: TransferQuery): Promise<PageOf<AgentTransfer>>;
    summary(filter: TransferFilter): Promise<TransferSummary>;
    get(id: string): Promise<AgentTransfer>;
    /** Cancels one that is not over (cleaning up at the service), removes one that is. */
    remove(id: string): Promise<void>;
    files(id: string, page: FilePage): Promise<PageOf<TransferFile>>;
    /** What became of it: its last events. */
    log(id: string): Promise<TransferLog>;
    /** The signed receipt of a transfer that has come to its end, as the service gave it; `transfer_conflict` where there is none. */
    receipt(id: string): Promise<AsyncIterable<Uint8Array>>;
    /** Priority, place in the queue (0 is the first), and its own speed limit, which holds at once. */
    change(id: string, change: ChangeTransfer): Promise<AgentTransfer>;
    /** For so many hours, or until it is resumed. */
    pause(id: string, hours?: number): Promise<void>;
    resume(id: string): Promise<void>;
    /** Goes on with one that failed or was cancelled. */
    retry(id: string): Promise<void>;
    /** Closes an upload that is idle, or one that ended because some of its files failed: without those. */
    finalize(id: string): Promise<void>;
    /** More files and folders for an upload that is not finalized. */
    addFiles(id: string, paths: readonly string[], asking?: Asking): Promise<AgentTransfer>;
    /** Does one thing to many, some at a time; those whose state does not allow it are counted as refused. */
    actOnMany(request: ActOnTransfers): Promise<ActedOn>;
    /** Pauses all that run or queue, and holds newcomers, for so many hours or until all are resumed. */
    pauseAll(hours?: number): Promise<void>;
    resumeAll(): Promise<void>;
  };
  readonly settings: {
    current(): Settings;
    update(change: UpdateSettings): Promise<Settings>;
  };
  /** Folders of this machine, for choosing paths from afar: inside the setting `allowed_roots` only. */
  readonly folders: {
    /** `path_outside`, `path_not_absolute`, `path_not_found`, `path_unreadable`. */
    list(query: FolderQuery): Promise<FolderListing>;
    /** Throws `path_outside` for a path that leads, or would lead, out of the allowed folders. */
    admit(path: string): void;
  };
  /** Tokens for programs that call the agent, with scopes and what was done with each. */
  readonly tokens: Tokens;
  /** On all uploads and all downloads together; what is under way follows at once. */
  readonly rateLimits: {
    get(direction: 'upload' | 'download'): RateLimit;
    set(direction: 'upload' | 'download', limit: RateLimit): Promise<RateLimit>;
  };
  readonly events: {
    /** Replays those after `afterId` that are still kept, then gives new ones, until the signal fires. */
    subscribe(afterId: number | null, signal: AbortSignal): AsyncIterable<EngineEvent>;
  };
  /** Of `status().warnings` those that say where secrets are kept; the log has them once the agent is ready. */
  readonly secretsWarnings: readonly string[];
  status(): EngineStatus;
  /** A zip with logs and state for whoever helps, secrets removed; `more` are files beside, by name. */
  supportBundle(more: Readonly<Record<string, string>>): Promise<AsyncIterable<Uint8Array>>;
  /** Stops within 10 s; what is under way is written down and goes on at the next start. */
  close(): Promise<void>;
}
