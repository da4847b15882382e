import type Database from 'better-sqlite3';

/** A stored token: only its digest. Times in milliseconds since 1970. */
export interface TokenRow {
  readonly id: string;
  readonly name: string;
  /** With spaces between. */
  readonly scopes: string;
  /** SHA-256, hex. */
  readonly digest: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
}

interface CallRow {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly address: string;
  readonly count: number;
  readonly first_at: number;
  readonly last_at: number;
}

/** The tables of tokens and their calls. Changes go through the state's writer. */
export interface TokenTable {
  all(): TokenRow[];
  insert(row: TokenRow): void;
  remove(id: string): void;
  revoked(id: string, at: number): void;
  used(id: string, at: number): void;
  /** Records a call and returns its number; the last `maxCalls` calls of each token remain. */
  addCall(id: string, call: Omit<CallRow, 'count' | 'first_at' | 'last_at'>, at: number, maxCalls: number): number;
  /** Records a repetition of the call with this number; false if it is no longer in the list. */
  repeatCall(number: number, at: number): boolean;
  /** The newest first. */
  calls(id: string): CallRow[];
}

/** Old calls are deleted after this many new ones. */
const trimEvery = 50;

export function tokenTable(db: Database.Database): TokenTable {
  const all = db.prepare<[], TokenRow>('SELECT * FROM tokens ORDER BY created_at DESC, id DESC');
  const insert = db.prepare(`
    INSERT INTO tokens (id, name, scopes, digest, created_at, expires_at, last_used_at, revoked_at)
    VALUES (@id, @name, @scopes, @digest, @created_at, @expires_at, @last_used_at, @revoked_at)`);
  const remove = db.prepare('DELETE FROM tokens WHERE id = ?');
  const revoked = db.prepare('UPDATE tokens SET revoked_at = ? WHERE id = ?');
  const used = db.prepare('UPDATE tokens SET last_used_at = ? WHERE id = ?');
  const addCall = db.prepare(`
    INSERT INTO token_calls (token_id, method, path, status, address, count, first_at, last_at)
    VALUES (@id, @method, @path, @status, @address, 1, @at, @at)`);
  const repeatCall = db.prepare('UPDATE token_calls SET count = count + 1, last_at = ? WHERE number = ?');
  const trim = db.prepare(`
    DELETE FROM token_calls WHERE token_id = @id AND number <=
      (SELECT number FROM token_calls WHERE token_id = @id ORDER BY number DESC LIMIT 1 OFFSET @maxCalls)`);
  const calls = db.prepare<[string], CallRow>(
    'SELECT method, path, status, address, count, first_at, last_at FROM token_calls WHERE token_id = ? ORDER BY number DESC',
  );
  return {
    all: () => all.all(),
    insert: (row) => void insert.run(row),
    remove: (id) => void remove.run(id),
    revoked: (id, at) => void revoked.run(at, id),
    used: (id, at) => void used.run(at, id),
    addCall(id, call, at, maxCalls) {
      const number = Number(addCall.run({ id, ...call, at }).lastInsertRowid);
      if (number % trimEvery === 0) trim.run({ id, maxCalls });
      return number;
    },
    repeatCall: (number, at) => repeatCall.run(at, number).changes > 0,
    calls: (id) => calls.all(id),
  };
}
