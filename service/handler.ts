import type { Kysely } from 'kysely';
import type { KeyedLock } from '#net/keyed-lock.ts';
import type { HostedRouteName, HostedRoutes } from '#protocol/hosted/routes.ts';
import type { Input, ReplyOf, Route } from '#protocol/route.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import type { MailedTokens } from './accounts/mailed-tokens.ts';
import type { Caches } from './caches.ts';
import type { CloudProviders } from './connections/open-provider.ts';
import type { Credential, CredentialOf } from './credentials/credential.ts';
import type { CredentialCache } from './credentials/credential-cache.ts';
import type { Tokens } from './credentials/tokens.ts';
import type { Database } from './database/schema/database.ts';
import type { FileWrites } from './files/writes.ts';
import type { GatewayWakeups } from './gateways/ports.ts';
import type { AttemptLimiter } from './http/attempt-limiter.ts';
import type { JsonList } from './http/json-list.ts';
import type { JsonText } from './http/json-text.ts';
import type { KnownSources } from './http/known-sources.ts';
import type { OutboundHttp } from './http/outbound.ts';
import type { Permits } from './http/permits.ts';
import type { SharedBuckets } from './http/shared-buckets.ts';
import type { StreamFacts } from './http/streams.ts';
import type { CountStrictly, StrictWindows } from './http/strict-windows.ts';
import type { Scrub } from './integrity/scrub.ts';
import type { JobQueues, Jobs } from './jobs/ports.ts';
import type { LinkReads } from './links/reads.ts';
import type { Log } from './log.ts';
import type { Mail } from './mail/open.ts';
import type { ServiceFacts } from './operator/ports.ts';
import type { SenderLimits } from './portals/sender-limits.ts';
import type { PackageEvents } from './realtime/events.ts';
import type { ReceiptSigner } from './receipts/signer.ts';
import type { Seal } from './seal.ts';
import type { SessionSecret } from './sessions/session-cookie.ts';
import type { SessionSource } from './sessions/sessions.ts';
import type { SsoHttp, TxtResolver } from './sso/ports.ts';
import type { TransferQueue } from './transfers/ports.ts';
import type { PublicUrls } from './urls.ts';
import type { VirusScanner } from './viruses/ports.ts';

/** The dependencies of every handler. Nothing in it belongs to a single request. */
export interface Services {
  readonly db: Kysely<Database>;
  /** Only for index scans of long lists (database/index-scan-pool.ts). */
  readonly indexScanPool: Kysely<Database>;
  readonly storage: ObjectStorage;
  readonly tokens: Tokens;
  readonly credentials: CredentialCache;
  readonly urls: PublicUrls;
  readonly attemptLimiter: AttemptLimiter;
  readonly buckets: SharedBuckets;
  readonly senderLimits: SenderLimits;
  readonly knownSources: KnownSources;
  readonly strictWindows: StrictWindows;
  /** Counts a sign-in, successful or not, of an address or of a known device. */
  readonly countSignIn: CountStrictly;
  readonly caches: Caches;
  readonly fileWrites: FileWrites;
  /** A Team's lists of v1, one at a time: each holds thousands of packages (packages/legacy-lists.ts). */
  readonly legacyLists: KeyedLock;
  readonly links: LinkReads;
  readonly jobs: Jobs;
  readonly jobQueues: JobQueues;
  readonly seal: Seal;
  /** The storage that connections lead to. */
  readonly cloudProviders: CloudProviders;
  readonly receipts: ReceiptSigner;
  readonly outbound: OutboundHttp;
  /** For the providers of single sign-on. */
  readonly ssoHttp: SsoHttp;
  readonly resolveTxt: TxtResolver;
  readonly mail: Mail;
  readonly mailedTokens: MailedTokens;
  readonly events: PackageEvents;
  /** Limits concurrent event streams. */
  readonly streamPermits: Permits;
  /** Limits concurrent requests that wait for the storage of a Team. */
  readonly cloudPermits: Permits;
  readonly transfers: TransferQueue;
  readonly gateways: GatewayWakeups;
  readonly facts: ServiceFacts;
  /** Null where objects are not on a disk of this machine, or it is turned off. */
  readonly scrub: Scrub | null;
  /** Null: files are not scanned for viruses. */
  readonly scanner: VirusScanner | null;
  readonly now: () => Date;
}

/**
 * The context of one request. Under an Idempotency-Key, `db` is the transaction that also stores the response, so
 * begin transactions by `inTransaction(context.db, …)`, never by `db.transaction()`.
 */
export interface Context<C extends Credential = Credential> extends Services {
  readonly credential: C;
  /** The key of one caller for rate limits: an address, or its /64 network (net/address-key.ts). */
  readonly peer: string;
  /** The secret by which a device is recognised (X-Device-Secret); null for none. */
  readonly device: string | null;
  /** Where the request comes from, for the list of a user's sessions. */
  readonly source: SessionSource;
  /** The service's own page in a browser that calls; null for any other caller. */
  readonly page: OwnPage | null;
  /** The caller's `Accept-Language`, for mail that the call causes. */
  readonly languages: string | undefined;
  /** A signal that is aborted when the client disconnects. */
  readonly disconnection: () => AbortSignal;
  /** Has the connection end soon after the client's machine has lost power or network; tells whether it has (http/peer-probe.ts). */
  readonly probePeer: () => () => boolean;
  readonly log: Log;
}

/** A page of the service's own origin, which may have a session by a cookie. */
export interface OwnPage {
  /** The answer sets the session's cookie, which the browser keeps for `seconds`. */
  setSession(secret: SessionSecret, seconds: number): void;
  /** The answer removes the session's cookie. */
  clearSession(): void;
  /** The sign-in through a company that this browser has begun (sso/flow.ts); null for none. */
  readonly flow: string | null;
  /** The answer sets the cookie of such a sign-in. */
  setFlow(flow: string, seconds: number): void;
  /** The answer removes it. */
  clearFlow(): void;
}

/**
 * A route's handler: a function of the validated input, which throws `ApiError` for every failure that a caller can
 * cause. Ids in the path (`…_id`) have the form of `newId()`; others were answered 404 before.
 */
type Handler<R extends Route> = (input: Input<R>, context: ContextOf<R>) => Promise<ReplyOf<R> | WrittenOf<R>>;

/**
 * The handler of a call that creates, in two steps. A stored response of an Idempotency-Key is returned only to a
 * caller who still has the permission (docs/decisions/0005). So permissions are checked each time, and the creation
 * is done once.
 */
interface Creation<R extends Route, Access = unknown> {
  /** Refuses callers without permission, by current roles and states, with the same errors as without a key. */
  authorise(input: Input<R>, context: ContextOf<R>): Promise<Access>;
  /** Under an Idempotency-Key it runs in its own transaction, `context.db`, and is skipped if the response is stored. */
  make(input: Input<R>, context: ContextOf<R>, access: Access): Promise<ReplyOf<R> | WrittenOf<R>>;
}

/** A creation whose second step knows the type of the first step's result. */
export const creation = <R extends Route, Access>(
  authorise: (input: Input<R>, context: ContextOf<R>) => Promise<Access>,
  make: (input: Input<R>, context: ContextOf<R>, access: Access) => Promise<ReplyOf<R> | WrittenOf<R>>,
): Creation<R> => ({ authorise, make: (input, context, access) => make(input, context, access as Access) });

type ContextOf<R extends Route> = Context<CredentialOf<R['credentials'][number]>> & StreamOf<R>;

/** Routes that accept an Idempotency-Key (`creates` of protocol/openapi.ts) have a creation, all others a handler. */
type BehaviourOf<R extends Route> = R['method'] extends 'POST'
  ? R['reply'] extends { readonly status: 201 }
    ? Creation<R>
    : Handler<R>
  : Handler<R>;

/** If the reply is JSON, a handler may return it already serialised, and a list as one that is still read. */
type WrittenOf<R extends Route> = R['reply'] extends { readonly body: unknown } ? JsonText | ListOf<ReplyOf<R>> : never;
type ListOf<Reply> = Reply extends readonly (infer Item)[] ? JsonList<Item> : never;

/** The additional input of handlers of streams. */
type StreamOf<R extends Route> = R['reply'] extends { readonly stream: string } ? { readonly stream: StreamFacts } : unknown;

/** Handlers of the named routes. A resource folder declares its own as `HandlersOf<'createLink' | …>`. */
export type HandlersOf<Names extends HostedRouteName> = {
  readonly [Name in Names]: BehaviourOf<HostedRoutes[Name]>;
};

/** One handler per route. A missing one does not compile. */
export type Handlers = HandlersOf<HostedRouteName>;
