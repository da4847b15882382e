import type { CreateApiKey } from '#protocol/agent/api-keys.ts';
import type { CreateDrop, Drop, DroppedFileState, DroppedSlice } from '#protocol/agent/drops.ts';
import type { AgentEvent } from '#protocol/agent/events.ts';
import type { FolderListing, FolderQuery } from '#protocol/agent/folders.ts';
import type { ContinueHandover, HandoverMatch, HandoverPreview, MatchHandover } from '#protocol/agent/handovers.ts';
import type { ChangeTransfer, FilePage } from '#protocol/agent/items.ts';
import type { DroppedEntry, FoundDropped, PathsMeasure, StartFolder } from '#protocol/agent/paths.ts';
import type { CreatePortalUpload } from '#protocol/agent/portal-uploads.ts';
import type { LinkPreview, MailLinkCode, PreviewLink, PreviewPortal } from '#protocol/agent/previews.ts';
import type { AddSentLink, SentPackage, SetSentExpiry } from '#protocol/agent/sent-package.ts';
import type { AgentSession, AgentTeam } from '#protocol/agent/session.ts';
import type { CreateSession, SignedIn } from '#protocol/agent/sessions.ts';
import type { RateLimit, Settings, UpdateSettings } from '#protocol/agent/settings.ts';
import type { UnreachableService } from '#protocol/agent/system.ts';
import type { ActedOn, ActOnTransfers, TransferLog, TransferSummary } from '#protocol/agent/transfer-actions.ts';
import type {
  AgentTransfer,
  CreateDownload,
  CreateUpload,
  TransferFile,
  TransferFilter,
  TransferQuery,
} from '#protocol/agent/transfers.ts';
import type { CreatedApiKey } from '#protocol/hosted/accounts.ts';
import type { LinkCode } from '#protocol/hosted/links.ts';
import type { PublicPortal } from '#protocol/hosted/portals.ts';
import type { RenamedFile } from '#protocol/hosted/transfers.ts';
import type { Asking } from './asking.ts';
import type { Automations } from './automations/automations.ts';
import type { Gateway } from './gateway/gateway.ts';
import type { SsoSignIns } from './session/sso-sign-ins.ts';
import type { TeamLists } from './session/team-lists.ts';
import type { Tokens } from './tokens/tokens.ts';
import type { PackageDownload, PackageUpload } from './transfer/token-requests.ts';

export interface PageOf<T> {
  readonly total: number;
  readonly records: readonly T[];
}

/** A page of transfers. `next`: where the next one begins, with the newest first; empty at the end. */
export interface TransferPage extends PageOf<AgentTransfer> {
  readonly next?: string;
}

/**
 * An event of the engine: an id that only grows, and one change. `events.lost`: some events are no longer kept, so
 * reload the lists.
 */
export type EngineEvent = AgentEvent;

export interface EngineStatus {
  readonly version: string;
  readonly service_url: string;
  readonly signed_in: boolean;
  readonly started_at: string;
  readonly transfers: { readonly active: number; readonly queued: number; readonly failed: number };
  /** Set while all transfers are paused; `until`: when the pause ends by itself. */
  readonly paused: { readonly until: string | null } | null;
  readonly unreachable: readonly UnreachableService[];
  /** Plain sentences for the person, e.g. that secrets are stored in a vault file. */
  readonly warnings: readonly string[];
}

export type { Asking };

/**
 * The agent's core. All failures are `ApiError`s of the catalogue. The HTTP API and the command line are thin layers
 * over this.
 */
export interface Engine {
  readonly session: {
    /** `session_is_nil` when nobody is signed in. */
    current(): Promise<AgentSession>;
    signIn(email: string, password: string, code?: string): Promise<AgentSession>;
    signOut(): Promise<void>;
    teams(): Promise<AgentTeam[]>;
    /**
     * All sessions, that of `current` first. Their services are asked again in the background; changes are published as
     * events.
     */
    list(): SignedIn[];
    /** One more session, with any service. */
    add(request: CreateSession): Promise<SignedIn>;
    remove(id: string): Promise<void>;
    /** Creates an API key for the user of a session, by e-mail; `not_allowed` if there are only sessions by API key. */
    createApiKey(request: CreateApiKey): Promise<CreatedApiKey>;
    /** Through a company, in a browser of this machine. */
    readonly sso: Omit<SsoSignIns, 'close'>;
  };
  /** What a Team has that automations and mounts name. */
  readonly teams: TeamLists;
  readonly transfers: {
    upload(request: CreateUpload, asking?: Asking): Promise<AgentTransfer>;
    /** Through a Portal; needs no session. */
    portalUpload(request: CreatePortalUpload, asking?: Asking): Promise<AgentTransfer>;
    download(request: CreateDownload, asking?: Asking): Promise<AgentTransfer>;
    /** A package whose read token the caller has. With an id that is known already, it is that transfer. */
    downloadPackage(request: PackageDownload, asking?: Asking): Promise<AgentTransfer>;
    /** Adds files to a package whose write token the caller has, and does not finalize it. */
    uploadToPackage(request: PackageUpload, asking?: Asking): Promise<AgentTransfer>;
    /** The content of a link, before anything is downloaded. */
    previewLink(request: PreviewLink, signal?: AbortSignal): Promise<LinkPreview>;
    /** Has the code mailed that a link asks its recipient for. */
    mailLinkCode(request: MailLinkCode, signal?: AbortSignal): Promise<LinkCode>;
    /** The same for a download that waits for one. */
    mailDownloadCode(id: string): Promise<LinkCode>;
    /** What a Portal requires from a sender. */
    previewPortal(request: PreviewPortal, signal?: AbortSignal): Promise<PublicPortal>;
    list(kind: 'upload' | 'download' | 'all', query: TransferQuery): Promise<TransferPage>;
    summary(filter: TransferFilter): Promise<TransferSummary>;
    get(id: string): Promise<AgentTransfer>;
    /** Cancels a transfer that is not over (with cleanup at the service), removes one that is. */
    remove(id: string): Promise<void>;
    files(id: string, page: FilePage): Promise<PageOf<TransferFile>>;
    /** Files of a download that have other names here than in the package: how many, and the first of them. */
    renamed(id: string, limit: number): Promise<{ readonly total: number; readonly first: readonly RenamedFile[] }>;
    /** The last entries of its event log. */
    log(id: string): Promise<TransferLog>;
    /** The signed receipt of an ended transfer, as received from the service; `transfer_conflict` if there is none. */
    receipt(id: string): Promise<AsyncIterable<Uint8Array>>;
    /**
     * Changes the priority, the queue position (0 is the first), the transfer's own speed limit (effective at once),
     * and the settings it needs to continue.
     */
    change(id: string, change: ChangeTransfer, asking?: Asking): Promise<AgentTransfer>;
    /** Pauses it for this number of hours, or until it is resumed. */
    pause(id: string, hours?: number): Promise<void>;
    resume(id: string): Promise<void>;
    /** Continues a failed or cancelled transfer. */
    retry(id: string): Promise<void>;
    /** Closes an upload that is idle, or one that ended with failed files: they are left out. */
    finalize(id: string): Promise<void>;
    /** More files and folders for an upload that is not finalized. */
    addFiles(id: string, paths: readonly string[], asking?: Asking): Promise<AgentTransfer>;
    /**
     * Applies one action to many transfers, with limited concurrency; those whose state does not allow it are counted
     * as refused.
     */
    actOnBatch(request: ActOnTransfers): Promise<ActedOn>;
    /** Pauses all running and queued transfers, and new ones, for this number of hours or until all are resumed. */
    pauseAll(hours?: number): Promise<void>;
    resumeAll(): Promise<void>;
    /**
     * Resolves when a cancelled transfer has left nothing unfinished, on the disk or at the service; rejects with what keeps
     * it from that, and may be asked again. Does nothing for others.
     */
    cleanUp(id: string): Promise<void>;
    /** Retries all transfers in backoff at once, and asks the unreachable services again. */
    tryNow(): Promise<void>;
  };
  /** Transfers that began in a browser. */
  readonly handovers: {
    /** What a browser hands over. Errors are those of its service; `invalid_request` for another link. */
    preview(link: string, signal: AbortSignal): Promise<HandoverPreview>;
    /** What this agent goes on with by the same link, also when that is used up; `null` where there is nothing unfinished. */
    find(link: string): Promise<AgentTransfer | null>;
    /** Which files of an upload are there. Also `path_not_found`, `path_not_absolute`, `path_unreadable`, `path_outside`. */
    match(request: MatchHandover, asking: Asking & { readonly signal: AbortSignal }): Promise<HandoverMatch>;
    /** Also `nothing_to_send` where no file is as the browser had it. */
    continue(request: ContinueHandover, asking?: Asking): Promise<AgentTransfer>;
  };
  /** What the sender of an upload sees and does of its package at the service, by the transfer's id. */
  readonly sentPackages: {
    /** `transfer_conflict` while there is none; `not_allowed` for one that went through a Portal. */
    get(id: string): Promise<SentPackage>;
    setExpiry(id: string, expiry: SetSentExpiry): Promise<SentPackage>;
    remove(id: string): Promise<void>;
    addLink(id: string, link: AddSentLink): Promise<SentPackage>;
    endLink(id: string, linkId: string): Promise<void>;
    /** `state_conflict` for one that is for nobody in particular; `rate_limited` within a minute. */
    mailLink(id: string, linkId: string): Promise<void>;
  };
  readonly settings: {
    current(): Settings;
    update(change: UpdateSettings): Promise<Settings>;
  };
  /** Folders of this machine, for remote callers that choose paths: only inside the setting `allowed_roots`. */
  readonly folders: {
    /** `path_outside`, `path_not_absolute`, `path_not_found`, `path_unreadable`. */
    list(query: FolderQuery): Promise<FolderListing>;
    /**
     * Returns once the disks of the allowed folders and of these paths have answered; a path whose disk does not, within
     * 5 s, is `path_unreadable`. For before all that touches paths: it would stop the agent.
     */
    answer(paths: readonly string[]): Promise<void>;
    /** Throws `path_outside` for a path that leads, or would lead, out of the allowed folders. What a browser dropped may be sent. */
    check(path: string, use?: { readonly sends: boolean }): void;
    /** Where a person would look for files. `restricted`: only the allowed folders. */
    places(restricted: boolean): Promise<StartFolder[]>;
    /** What paths hold, and how long sending that takes. Rejects when the signal fires. */
    measure(paths: readonly string[], asking: Asking & { readonly signal: AbortSignal }): Promise<PathsMeasure>;
    /** Where files and folders lie that a browser was given, as far as they are in the allowed folders. */
    find(entries: readonly DroppedEntry[], signal: AbortSignal): Promise<FoundDropped>;
  };
  /** Files and folders that browsers send to the agent. */
  readonly drops: {
    /** `drop_no_room`, `name_refused`. */
    create(request: CreateDrop): Promise<Drop>;
    /** `not_found` for an unknown drop; a file of which nothing is here has 0 bytes. */
    state(id: string, path: string): DroppedFileState;
    /**
     * Adds bytes to a file until they end; what came before they break stays. `transfer_conflict` where the offset is not the
     * number of bytes that are here, or more come than were said; `drop_no_room`.
     */
    put(id: string, slice: DroppedSlice, bytes: AsyncIterable<Uint8Array>): Promise<DroppedFileState>;
    /** `transfer_conflict` while an upload uses it. */
    remove(id: string): Promise<void>;
  };
  /** Folders that send themselves, and Portals that arrive by themselves. */
  readonly automations: Automations;
  /** Tokens for programs that call the agent, with their scopes and an audit log of each. */
  readonly tokens: Tokens;
  /** Limits for all uploads and all downloads together; running transfers follow at once. */
  readonly rateLimits: {
    get(direction: 'upload' | 'download'): RateLimit;
    set(direction: 'upload' | 'download', limit: RateLimit): Promise<RateLimit>;
  };
  /** Mounts of this machine that services reach through the agent. */
  readonly gateway: Gateway;
  readonly events: {
    /** Replays the kept events after `afterId`, then yields new ones, until the signal fires. */
    subscribe(afterId: number | null, signal: AbortSignal): AsyncIterable<EngineEvent>;
  };
  /** Those of `status().warnings` that say where secrets are stored; they are logged once the agent is ready. */
  readonly secretsWarnings: readonly string[];
  status(): EngineStatus;
  /** A zip with logs and state for support, secrets removed; `more` are additional files, by name. */
  supportBundle(more: Readonly<Record<string, string>>): Promise<AsyncIterable<Uint8Array>>;
  /** Stops within 10 s; running transfers are saved and continue at the next start. */
  close(): Promise<void>;
}
