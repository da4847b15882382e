import { describe, expect, it } from 'vitest';
import { createStatementNames, withPreparedStatements } from '#service/database/prepared.ts';

describe('prepared statements', () => {
  it('names a text once, and no more than it may', () => {
    const nameOf = createStatementNames(2);
    expect([nameOf('a'), nameOf('b'), nameOf('a'), nameOf('c'), nameOf('b')]).toEqual(['s1', 's2', 's1', undefined, 's2']);
  });

  it('names statements with parameters and leaves the others and all else alone', async () => {
    const seen: unknown[][] = [];
    const client = {
      count: 3,
      query(...args: unknown[]) {
        seen.push(args);
        return Promise.resolve(this.count);
      },
      release() {
        return this.count;
      },
    };
    const wrapped = withPreparedStatements(client, createStatementNames());
    expect(await wrapped.query('select $1', [1])).toBe(3);
    await wrapped.query('begin', []);
    expect(seen).toEqual([[{ name: 's1', text: 'select $1', values: [1] }], ['begin', []]]);
    expect(wrapped.release()).toBe(3);
  });
});
