import pg from 'pg';
import { cut, noPrimary, refusalOf, withinPatience } from './ask-server.ts';
import type { DatabaseConnection, DatabaseServer } from './database-connection.ts';
import { cutWhenSwitched, findPrimary, forgetPrimary, lookAgainWhereSlow, patienceMilliseconds } from './primary.ts';

/** All connections to the database are made here. */
export const newClient = (connection: DatabaseConnection, more: pg.ClientConfig = {}): pg.Client =>
  new (clientFor(connection))({ ...connection, ...more });

export const newPool = (connection: DatabaseConnection, more: pg.PoolConfig): pg.Pool =>
  new pg.Pool({ ...connection, ...more, Client: clientFor(connection) });

const clientFor = ({ servers }: DatabaseConnection): typeof pg.Client => (servers ? PrimaryClient : pg.Client);

type Connected = (error: Error) => void;

/** Connects to the primary, whichever server that is now. */
class PrimaryClient extends pg.Client {
  readonly #config: DatabaseConnection & { readonly servers: readonly DatabaseServer[] };

  constructor(config: DatabaseConnection & { readonly servers: readonly DatabaseServer[] }) {
    super(config);
    this.#config = config;
    // One that breaks before its user has a listener; that one's are called too.
    this.on('error', () => undefined);
  }

  override connect(): Promise<pg.Client>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<pg.Client> | undefined {
    const done = this.#connect();
    if (!connected) return done;
    done.then(
      () => (connected as () => void)(),
      (error: Error) => connected(error),
    );
    return undefined;
  }

  async #connect(): Promise<this> {
    const { servers } = this.#config;
    const { server, host, port } = await findPrimary(this.#config);
    Object.assign(this, { host, port });
    const release = cutWhenSwitched(servers, server, (error) => cut(this, error));
    this.once('end', release);
    const made = lookAgainWhereSlow(this.#config);
    try {
      await withinPatience(this, server, patienceMilliseconds, async () => {
        await super.connect();
        const refusal = await refusalOf(this);
        if (refusal !== null) throw noPrimary(`${server.name} ${refusal} by now`);
      });
    } catch (error) {
      release();
      forgetPrimary(servers, server, error);
      await this.end().catch(() => undefined);
      throw error;
    } finally {
      made();
    }
    return this;
  }
}
