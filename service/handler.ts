import type { Kysely } from 'kysely';
import type { HostedRouteName, HostedRoutes } from '#protocol/hosted/routes.ts';
import type { Input, ReplyOf, Route } from '#protocol/route.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import type { Credential, CredentialOf } from './credentials/credential.ts';
import type { CredentialFacts } from './credentials/facts.ts';
import type { Tokens } from './credentials/tokens.ts';
import type { Database } from './database/schema/database.ts';
import type { FileWrites } from './files/writes.ts';
import type { Guesses } from './http/guesses.ts';
import type { JsonText } from './http/json-text.ts';
import type { StreamFacts } from './http/streams.ts';
import type { Jobs } from './jobs/ports.ts';
import type { LinkReads } from './links/reads.ts';
import type { Log } from './log.ts';
import type { Mail } from './mail/open.ts';
import type { Memory } from './memory.ts';
import type { PendingRouteName } from './pending.ts';
import type { KnownSenders } from './portals/known-senders.ts';
import type { PackageEvents } from './realtime/events.ts';
import type { Places } from './realtime/places.ts';
import type { ReceiptSigner } from './receipts/signer.ts';
import type { Seal } from './seal.ts';
import type { PublicUrls } from './urls.ts';
import type { WebhookCalls } from './webhooks/calls.ts';

/** What every handler works with. Nothing in it belongs to one request. */
export interface Services {
  readonly db: Kysely<Database>;
  /** For walks through long lists only (database/walks.ts). */
  readonly walks: Kysely<Database>;
  readonly storage: ObjectStorage;
  readonly tokens: Tokens;
  readonly credentials: CredentialFacts;
  readonly urls: PublicUrls;
  readonly guesses: Guesses;
  readonly knownSenders: KnownSenders;
  readonly memory: Memory;
  readonly fileWrites: FileWrites;
  readonly links: LinkReads;
  readonly jobs: Jobs;
  readonly seal: Seal;
  readonly receipts: ReceiptSigner;
  readonly webhookCalls: WebhookCalls;
  readonly mail: Mail;
  readonly events: PackageEvents;
  /** Event streams open at once. */
  readonly eventPlaces: Places;
  readonly now: () => Date;
}

/**
 * One request's surroundings. Under an Idempotency-Key `db` is the transaction that also keeps the answer,
 * so begin transactions by `inTransaction(context.db, …)`, never by `db.transaction()`.
 */
export interface Context<C extends Credential = Credential> extends Services {
  readonly credential: C;
  /** Address of the caller. */
  readonly ip: string;
  readonly log: Log;
}

/**
 * A route's behaviour: a function of the validated input, throwing `ApiError` for every failure a caller can
 * meet. Ids in the path (`…_id`) have the form of `newId()`; others were answered 404 before.
 */
export type Handler<R extends Route> = (
  input: Input<R>,
  context: Context<CredentialOf<R['credentials'][number]>> & StreamOf<R>,
) => Promise<ReplyOf<R> | WrittenOf<R>>;

/** Where the reply is JSON a handler may have written it itself. */
type WrittenOf<R extends Route> = R['reply'] extends { readonly body: unknown } ? JsonText : never;

/** What only the handlers of streams have. */
type StreamOf<R extends Route> = R['reply'] extends { readonly stream: string } ? { readonly stream: StreamFacts } : unknown;

export type HandledRouteName = Exclude<HostedRouteName, PendingRouteName>;

/** Handlers of the named routes. A resource folder declares its own as `HandlersOf<'createLink' | …>`. */
export type HandlersOf<Names extends HostedRouteName> = { readonly [Name in Names]: Handler<HostedRoutes[Name]> };

/** One handler per route that is not pending. A missing one does not compile. */
export type Handlers = HandlersOf<HandledRouteName>;
