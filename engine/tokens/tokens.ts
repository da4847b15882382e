import { createHash, randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { ApplicationToken, CreateToken, NewToken, TokenCall, TokenScope } from '#protocol/agent/tokens.ts';
import { tokenScopes } from '#protocol/agent/tokens.ts';
import { ApiError } from '#protocol/errors.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import type { Clock } from '../ports.ts';
import type { Writer } from '../state/writer.ts';
import type { TokenRow, TokenTable } from './table.ts';

/** The holder of a token. */
export interface TokenHolder {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** Milliseconds since 1970; `null` for never. */
  readonly expiresAt: number | null;
  /** Fires when the token is deleted. */
  readonly ended: AbortSignal;
}

/** A call that was made with a token, and what it was answered. */
interface NotedCall {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly status: number;
  readonly address: string;
}

/** The tokens of applications (docs/decisions/0027). The tokens themselves are shown once and not stored. */
export interface Tokens {
  /** `over_limit` when there are too many, `invalid_request` when it would be over at once. */
  create(request: CreateToken): Promise<NewToken>;
  /** The newest first; deleted ones stay for a while. */
  list(): ApplicationToken[];
  /** `not_found`. */
  revoke(id: string): Promise<void>;
  /** The newest first. `not_found`. */
  calls(id: string): TokenCall[];
  /** The holder of a presented token; `null` if it is invalid. */
  holder(token: string): TokenHolder | null;
  /** Records a call made with a token. */
  note(id: string, call: NotedCall): void;
}

interface TokensPorts {
  readonly table: TokenTable;
  readonly writer: Writer;
  readonly clock: Clock;
}

const prefix = 'lst_';
const mostTokens = 100;
const mostEnded = 100;
const maxCalls = 1_000;
const pathLength = 200;
/** Period in which equal read calls are recorded as one, and the precision of `last_used_at`. Milliseconds. */
const readCallPeriod = 3_600_000;
const useExactness = 5_000;

interface Entry {
  row: TokenRow;
  end: AbortController;
  /** Reading calls of the last hour: what, and the number and time of the first. */
  readonly recent: Map<string, { readonly number: number; readonly since: number }>;
}

export function openTokens({ table, writer, clock }: TokensPorts): Tokens {
  const entries = new Map<string, Entry>();
  const byDigest = new Map<string, Entry>();
  const keep = (row: TokenRow): void => {
    const entry: Entry = { row, end: new AbortController(), recent: new Map() };
    entries.set(row.id, entry);
    byDigest.set(row.digest, entry);
  };
  table.all().forEach(keep);

  // Lost changes have not happened: a created token is invalid, and a revoked one is valid again.
  writer.onEnd((lost) => {
    if (!lost) return;
    const former = new Map(entries);
    entries.clear();
    byDigest.clear();
    for (const row of table.all()) {
      keep(row);
      const entry = entries.get(row.id)!;
      const before = former.get(row.id);
      former.delete(row.id);
      // Open calls keep listening to the same signal, unless it has fired already.
      if (before && before.end.signal.aborted === (row.revoked_at !== null)) entry.end = before.end;
    }
    for (const { end } of former.values()) end.abort();
  });

  const isGood = ({ row }: Entry): boolean => row.revoked_at === null && (row.expires_at === null || row.expires_at > clock.now());
  const get = (id: string): Entry => {
    const entry = entries.get(id);
    if (!entry) throw new ApiError('not_found', { resource: 'token' });
    return entry;
  };
  const newestFirst = (): Entry[] =>
    [...entries.values()].sort((a, b) => b.row.created_at - a.row.created_at || (a.row.id < b.row.id ? 1 : -1));

  /** Removes ended tokens from the list when there are too many. Inside a write. */
  const forgetOldOnes = (): void => {
    for (const { row } of newestFirst()
      .filter((entry) => !isGood(entry))
      .slice(mostEnded)) {
      table.remove(row.id);
      entries.delete(row.id);
      byDigest.delete(row.digest);
    }
  };

  const touch = (entry: Entry): void => {
    const now = clock.now();
    if (now - (entry.row.last_used_at ?? -useExactness) < useExactness) return;
    entry.row = { ...entry.row, last_used_at: now };
    table.used(entry.row.id, now);
  };

  return {
    async create({ name, scopes, expires_at }) {
      const now = clock.now();
      if ([...entries.values()].filter(isGood).length >= mostTokens) {
        throw new ApiError('over_limit', { detail: `There are ${mostTokens} tokens already. Delete one that is not needed any more.` });
      }
      const expiresAt = expires_at === undefined || expires_at === unsetDateTime ? null : Date.parse(expires_at);
      if (expiresAt !== null && !(expiresAt > now)) {
        throw new ApiError('invalid_request', { detail: 'The field expires_at must be a time to come.' });
      }
      const token = prefix + randomBytes(32).toString('base64url');
      const row: TokenRow = {
        id: uuid(),
        name,
        scopes: tokenScopes.filter((scope) => scopes.includes(scope)).join(' '),
        digest: digestOf(token),
        created_at: now,
        expires_at: expiresAt,
        last_used_at: null,
        revoked_at: null,
      };
      writer.write(() => {
        table.insert(row);
        keep(row);
        forgetOldOnes();
      });
      await writer.committed();
      return { ...shown(row), token };
    },
    list: () => newestFirst().map(({ row }) => shown(row)),
    async revoke(id) {
      const entry = get(id);
      if (entry.row.revoked_at === null) {
        const at = clock.now();
        writer.write(() => table.revoked(id, at));
        entry.row = { ...entry.row, revoked_at: at };
        entry.end.abort();
      }
      await writer.committed();
    },
    calls(id) {
      get(id);
      return table.calls(id).map(({ first_at, last_at, ...call }) => ({ ...call, first_at: time(first_at), last_at: time(last_at) }));
    },
    holder(token) {
      if (!token.startsWith(prefix)) return null;
      // The lookup is by digest: its duration reveals nothing about the token.
      const entry = byDigest.get(digestOf(token));
      if (!entry || !isGood(entry)) return null;
      const { id, name, scopes, expires_at } = entry.row;
      return { id, name, scopes: scopesOf(scopes), expiresAt: expires_at, ended: entry.end.signal };
    },
    note(id, { method, path, status, address }) {
      const entry = entries.get(id);
      if (!entry) return;
      const now = clock.now();
      const call = { method, path: path.slice(0, pathLength), status, address };
      const key = method === 'GET' ? `${status} ${address} ${call.path}` : null;
      writer.write(() => {
        touch(entry);
        const before = key === null ? undefined : entry.recent.get(key);
        if (before && now - before.since < readCallPeriod && table.repeatCall(before.number, now)) return;
        const number = table.addCall(id, call, now, maxCalls);
        if (key === null) return;
        if (entry.recent.size >= maxCalls) entry.recent.clear();
        entry.recent.set(key, { number, since: now });
      });
    },
  };
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function scopesOf(text: string): TokenScope[] {
  return tokenScopes.filter((scope) => text.split(' ').includes(scope));
}

const time = (at: number | null): string => (at === null ? unsetDateTime : new Date(at).toISOString());

function shown(row: TokenRow): ApplicationToken {
  return {
    id: row.id,
    name: row.name,
    scopes: scopesOf(row.scopes),
    created_at: time(row.created_at),
    expires_at: time(row.expires_at),
    last_used_at: time(row.last_used_at),
    revoked_at: time(row.revoked_at),
  };
}
