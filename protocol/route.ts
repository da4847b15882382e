import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorName } from './errors.ts';

/**
 * What a request may prove itself with. A request carries one; a route names those it takes.
 * `package:*` are the three variants of the package token (contract/conventions.md §9.3), `transfer:report` is the transfer
 * token in a storage gateway's task, `link` is a link's
 * secret with its optional password (contract/conventions.md §9.6), `none` means that no credential is needed.
 */
export type CredentialKind =
  | 'user'
  | 'api_key'
  | 'package:write'
  | 'package:read'
  | 'package:manage'
  | 'transfer'
  | 'transfer:report'
  | 'access_code'
  | 'link'
  | 'gateway'
  | 'none';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Format of a successful reply: one status, and a JSON body, no body, or a stream of another type. */
type Reply =
  | { readonly status: 200 | 201 | 202; readonly body: TSchema }
  | { readonly status: 204 }
  | {
      readonly status: 200;
      readonly stream:
        | 'text/event-stream'
        | 'text/plain; version=0.0.4'
        | 'text/html'
        | 'application/zip'
        | 'application/x-ndjson'
        | 'text/csv';
      /** The schema of each message in an event stream; it is JSON in the message's `data:` line. */
      readonly messages?: TSchema;
    };

/** A request that the service itself sends, to an address that a user configured. */
export interface OutboundCall {
  readonly summary: string;
  readonly method: Method;
  readonly headers: readonly { readonly name: string; readonly description: string }[];
  readonly body: TSchema;
}

/** Outbound calls by the name of their event. */
export type OutboundCalls = Readonly<Record<string, OutboundCall>>;

/** A table for the docs. Cells are plain text, in which backticks mark code. */
export interface DocTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** One endpoint as data. Validation, typed client, OpenAPI and the contract tests all read it. */
export interface Route {
  readonly method: Method;
  /** Path with `{parameter}` placeholders, starting with its version segment. */
  readonly path: string;
  /** One sentence for a reader of the API's docs. */
  readonly summary: string;
  readonly tag: string;
  readonly credentials: readonly CredentialKind[];
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** The body is bytes (`application/octet-stream`) of any number in place of JSON. */
  readonly bytes?: true;
  readonly reply: Reply;
  /** Errors in addition to those of every route (validation, credential, rate limit, internal). */
  readonly errors?: readonly ErrorName[];
  /** An example of the body, shown in the docs. */
  readonly example?: unknown;
  /** Tables that the docs show in addition to the fields. */
  readonly tables?: readonly DocTable[];
}

export type RouteTable = Readonly<Record<string, Route>>;

/** Declares a table and keeps each route's literal types. */
export function defineRoutes<const T extends RouteTable>(table: T): T {
  return table;
}

type StaticOr<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise;

export type ParamsOf<R extends Route> = StaticOr<R['params'], Record<string, never>>;
export type QueryOf<R extends Route> = StaticOr<R['query'], Record<string, never>>;
/** Bytes are read by the handler. */
export type BodyOf<R extends Route> = R extends { readonly bytes: true } ? AsyncIterable<Uint8Array> : StaticOr<R['body'], undefined>;
export type ReplyOf<R extends Route> = R['reply'] extends { readonly body: infer B }
  ? StaticOr<B, never>
  : R['reply'] extends { readonly stream: string }
    ? ReadableStream<Uint8Array> | AsyncIterable<string | Uint8Array> | string
    : undefined;

/** The input of a handler, typed by the route. */
export interface Input<R extends Route> {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
}
