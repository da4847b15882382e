import { type PostgresPoolClient, type RawBuilder, sql } from 'kysely';
import pg, { type QueryResult } from 'pg';

/** The part of a pg client that this wraps. */
export interface CallbackClient {
  query(statement: Statement): unknown;
  release(destroy?: boolean): void;
}

type Answered = (error: Error | null, result: QueryResult) => void;

/** As pg takes it from its own classes of statements: it is neither copied nor wrapped. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  name?: string;
  readonly callback: Answered;
}
/** pg's own, which its types know as a promise's only. */
const PgStatement = pg.Query as unknown as new (text: string, values: readonly unknown[], answered: Answered) => Statement;

const eachTime = '/* planned each time */';

/** Begins a statement whose best plan depends on its values, or whose text has too many forms to be kept. */
export const plannedEachTime: RawBuilder<unknown> = sql.raw(eachTime);

/**
 * Names the statements that return, so that the server parses and plans each once per connection (about a
 * fifth of a short statement's time). Names are given to the first `max` texts only: lists of varying length
 * would otherwise pile up statements without end.
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
 * A client whose parameterised queries run as prepared statements. It asks pg by callback: what came with the promises
 * that pg makes itself is still copied by the young generation's collector when nobody holds it any more (decision 0032).
 */
export function withPreparedStatements(client: CallbackClient, nameOf: (sql: string) => string | undefined): PostgresPoolClient {
  const query = (text: string, values: readonly unknown[]): Promise<QueryResult> => {
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
