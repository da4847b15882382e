import { type RawBuilder, sql } from 'kysely';
import type { QueryResult } from 'pg';

/** The part of a pg client that Kysely uses, and that this wraps. */
interface Client {
  query(sql: string, parameters: readonly unknown[]): Promise<QueryResult>;
}

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

/** A client whose parameterised queries run as prepared statements. */
export function withPreparedStatements<C extends object>(client: C, nameOf: (sql: string) => string | undefined): C {
  const { query } = client as unknown as { query(...args: unknown[]): Promise<QueryResult> };
  const prepared: Client = {
    query(sql, parameters) {
      // Statements without parameters are begin, commit and schema changes: run once or trivial.
      const name = typeof sql === 'string' && Array.isArray(parameters) && parameters.length > 0 ? nameOf(sql) : undefined;
      return name === undefined
        ? query.call(client, sql, parameters)
        : query.call(client, { name, text: sql, values: parameters as unknown[] });
    },
  };
  return new Proxy(client, {
    get: (target, property) => {
      if (property === 'query') return prepared.query;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
