import type { Client } from 'undici';

/** Longer than undici keeps a connection that nobody uses: by then the client has none. */
const idleMilliseconds = 5_000;
const mostIdle = 256;

/**
 * Clients that have been used and may be again, each only for whom it was made: never are two Teams' requests on one
 * connection. A client closes its connection by itself when nobody uses it.
 */
export class KeptConnections {
  readonly #idle = new Map<string, Client[]>();
  #count = 0;
  #timer: NodeJS.Timeout | null = null;
  #since = new WeakMap<Client, number>();

  /** The one used last, or none. */
  take(owner: string): Client | undefined {
    const own = this.#idle.get(owner);
    const client = own?.pop();
    if (client) this.#count -= 1;
    if (own?.length === 0) this.#idle.delete(owner);
    return client;
  }

  keep(owner: string, client: Client): void {
    if (this.#count >= mostIdle) return void client.destroy();
    const own = this.#idle.get(owner);
    if (own) own.push(client);
    else this.#idle.set(owner, [client]);
    this.#count += 1;
    this.#since.set(client, performance.now());
    this.#timer ??= setInterval(() => this.#sweep(), idleMilliseconds).unref();
  }

  #sweep(): void {
    const before = performance.now() - idleMilliseconds;
    for (const [owner, own] of this.#idle) {
      const fresh = own.filter((client) => this.#since.get(client)! > before);
      for (const client of own) if (!fresh.includes(client)) void client.destroy();
      this.#count -= own.length - fresh.length;
      if (fresh.length > 0) this.#idle.set(owner, fresh);
      else this.#idle.delete(owner);
    }
    if (this.#count > 0) return;
    clearInterval(this.#timer!);
    this.#timer = null;
  }
}
