import { type PostgresPoolClient, type RawBuilder, sql } from 'kysely';
import pg, { type QueryResult } from 'pg';
import { RowCursor } from './row-cursor.ts';

/** The part of a pg client that is wrapped here. */
export interface CallbackClient {
  query(statement: Statement | NamedCursor): unknown;
  release(destroy?: boolean): void;
}

type Answered = (error: Error | null, result: QueryResult) => void;

/** pg neither copies nor wraps statements of its own class, so we use that class. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  name?: string;
  readonly callback: Answered;
}

type NamedCursor = RowCursor<unknown> & Pick<Statement, 'text'> & { name?: string };

/** pg's own class, which its types describe only as a promise. */
const PgStatement = pg.Query as unknown as new (text: string, values: readonly unknown[], answered: Answered) => Statement;

const eachTime = '/* planned each time */';

/** Prefix of a statement whose best plan depends on its values, or whose text has too many variants to be kept prepared. */
export const plannedEachTime: RawBuilder<unknown> = sql.raw(eachTime);

/**
 * Names the statements that are repeated, so that the server parses and plans each one once per connection (about a
 * fifth of a short statement's time). Only the first `max` texts get names: lists of varying length would otherwise
 * create an unlimited number of prepared statements.
 */
export function createStatementNames(max = 300): (sql: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    if (text.startsWith(eachTime)) return undefined;
    const known = names.get(text);
    if (known !== undefined || names.size >= max) return known;
    const name = `s${names.size + 1}`;
    names.set(text, name);
    return name;
  };
}

/**
 * A client whose parameterised queries run as prepared statements. It calls pg with callbacks: results of pg's own
 * promises are still copied by the garbage collector of the young generation when nothing references them any more
 * (decision 0032).
 */
export function withPreparedStatements(client: CallbackClient, nameOf: (sql: string) => string | undefined): PostgresPoolClient {
  const query = (text: string | NamedCursor, values: readonly unknown[]): Promise<QueryResult> | NamedCursor => {
    if (text instanceof RowCursor) {
      const name = nameOf(text.text);
      if (name !== undefined) text.name = name;
      client.query(text);
      return text;
    }
    // Statements without parameters are begin, commit and schema changes: run once or trivial.
    const name = values.length > 0 ? nameOf(text) : undefined;
    return new Promise((resolve, reject) => {
      const statement = new PgStatement(text, values, (error, result) => (error ? reject(error) : resolve(result)));
      if (name !== undefined) statement.name = name;
      client.query(statement);
    });
  };
  return { query: query as unknown as PostgresPoolClient['query'], release: (destroy) => client.release(destroy) };
}
