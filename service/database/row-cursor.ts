import pg from 'pg';

/**
 * A statement whose rows are read while the next ones come, as Kysely's `stream` wants it. The rows come as fast as the server
 * sends them, whether or not they are read, so the connection is held no longer than by a statement that is read as a whole.
 */
export class RowCursor<Row> extends pg.Query {
  #rows: Row[] = [];
  #isOver = false;
  #isClosed = false;
  #error: Error | null = null;
  #arrived = Promise.withResolvers<void>();
  #awaited = 0;

  constructor(sql: string, parameters: readonly unknown[]) {
    super(sql, [...parameters]);
    this.on('row', (row) => {
      if (this.#isClosed) return;
      this.#rows.push(row as Row);
      if (this.#rows.length === this.#awaited) this.#arrived.resolve();
    });
    this.on('end', () => this.#end(null));
    this.on('error', (error) => this.#end(error));
  }

  /** At least so many rows, or those that are left; none at the end. Throws what the statement failed with. */
  async read(count: number): Promise<Row[]> {
    if (this.#rows.length < count && !this.#isOver) {
      this.#awaited = count;
      this.#arrived = Promise.withResolvers();
      await this.#arrived.promise;
    }
    if (this.#error) throw this.#error;
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  /** Rows that were not read are dropped. Resolves once the connection can take the next statement. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rows = [];
    if (this.#isOver) return;
    this.#awaited = -1;
    this.#arrived = Promise.withResolvers();
    await this.#arrived.promise;
  }

  #end(error: Error | null): void {
    this.#isOver = true;
    this.#error = error;
    this.#arrived.resolve();
  }
}
