import type { QueryResult } from 'pg';
import { describe, expect, it } from 'vitest';
import { type CallbackClient, createStatementNames, withPreparedStatements } from '#service/database/prepared.ts';
import { RowCursor } from '#service/database/row-cursor.ts';

describe('prepared statements', () => {
  it('names each text once, up to the maximum', () => {
    const nameOf = createStatementNames(2);
    expect([nameOf('a'), nameOf('b'), nameOf('a'), nameOf('c'), nameOf('b')]).toEqual(['s1', 's2', 's1', undefined, 's2']);
  });

  it('prepares only statements with parameters, passes failures on, and returns the client to the pool', async () => {
    const seen: unknown[] = [];
    const result = { rows: [] } as unknown as QueryResult;
    const client: CallbackClient = {
      query(statement) {
        if (statement instanceof RowCursor) return void seen.push({ name: statement.name, text: statement.text });
        const { name, text, values, callback } = statement;
        seen.push({ name, text, values });
        callback(text === 'broken' ? new Error('no such table') : null, result);
      },
      release: (destroy) => void seen.push(destroy),
    };
    const wrapped = withPreparedStatements(client, createStatementNames());
    expect(await wrapped.query('select $1', [1])).toBe(result);
    await wrapped.query('begin', []);
    await expect(wrapped.query('broken', [])).rejects.toThrow('no such table');
    const cursor = new RowCursor('select $1', [1]);
    expect(wrapped.query(cursor)).toBe(cursor);
    wrapped.release(true);
    expect(seen).toEqual([
      { name: 's1', text: 'select $1', values: [1] },
      { name: undefined, text: 'begin', values: [] },
      { name: undefined, text: 'broken', values: [] },
      { name: 's1', text: 'select $1' },
      true,
    ]);
  });
});
