import { join } from 'node:path';
import pLimit from 'p-limit';
import type { Engine, EngineStatus } from './engine.ts';
import { EngineError } from './errors.ts';
import { openEventMemory } from './event-memory.ts';
import { createEvents } from './events.ts';
import { listFolder } from './folders/list.ts';
import { admit } from './folders/roots.ts';
import { createHousekeeping } from './housekeeping.ts';
import { createTransport, type Patience } from './io/transport.ts';
import { openLimits } from './limits/limits.ts';
import { type Clock, type Log, systemClock } from './ports.ts';
import { openShelf } from './receipt/shelf.ts';
import { createKnownSecrets } from './secrets/known.ts';
import { openSecrets } from './secrets/open.ts';
import { openSession } from './session/session.ts';
import { openSettings } from './settings.ts';
import { standing } from './standing.ts';
import { openDatabase } from './state/database.ts';
import { salvageSettings, salvageTransfers } from './state/salvage.ts';
import { openStore } from './state/store.ts';
import { supportBundle } from './support/bundle.ts';
import { redactor } from './support/redact.ts';
import { systemFacts } from './support/system-facts.ts';
import { secretsOf } from './support/transfer-secrets.ts';
import { tokenTable } from './tokens/table.ts';
import { openTokens } from './tokens/tokens.ts';
import { createAlarm } from './transfer/alarm.ts';
import { createBook } from './transfer/book.ts';
import { type JobPorts, slotCount } from './transfer/job.ts';
import { createQueue } from './transfer/queue.ts';
import { createReaders } from './transfer/readers.ts';
import { createRooms } from './transfer/rooms.ts';
import { runJob } from './transfer/run-job.ts';
import { createSlots } from './transfer/slots.ts';
import { createTransferActions } from './transfer/transfers.ts';

export interface EngineOptions {
  /** Made if it is not there; one engine at a time. */
  readonly dataDir: string;
  /** The hosted API; a path prefix and a slash at the end are fine. */
  readonly serviceUrl: string;
  /** The session, instead of signing in. It is not kept: give it at every start. */
  readonly apiKey?: string | undefined;
  readonly version: string;
  readonly log: Log;
  /** The newest lines of the log (engine/support/recent-log.ts), for the support bundle. */
  readonly recentLog?: (() => readonly string[]) | undefined;
  /** `auto` (the default) uses the system's keychain where there is one that works. */
  readonly secrets?: 'auto' | 'vault';
  /** Opens the vault file instead of the key beside it. By default what `LONGSHORE_VAULT_KEY` says. */
  readonly vaultKey?: string | undefined;
  /** The allowed folders (setting `allowed_roots`); given here, no setting says otherwise. */
  readonly allowedRoots?: readonly string[] | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** How long the other side may be silent, where that is not to be the usual. */
  readonly patience?: Patience;
}

/** Over all transfers; how many of them a transfer uses it finds out for itself. */
const largeChunksAtOnce = 16;
const smallChunksAtOnce = 32;

/**
 * Opens the agent's data folder and takes up whatever an earlier run left. Rejects with an `EngineError`
 * when the folder cannot be used, an other agent has it, or the service's address is none. An unreachable
 * service or a refused key does not keep it from starting.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { dataDir, version, log, clock = systemClock, random = Math.random } = options;
  // Container files leave a variable empty that nobody has set.
  const vaultKey = options.vaultKey ?? (process.env['LONGSHORE_VAULT_KEY'] || undefined);
  const serviceUrl = checkedUrl(options.serviceUrl);
  const opened = openDatabase(dataDir, { now: clock.now() });
  try {
    const secrets = await openSecrets({ dataDir, mode: options.secrets ?? 'auto', vaultKey });
    const damaged: string[] = [];
    const warn = (warnings: readonly string[]): void => {
      damaged.push(...warnings);
      for (const warning of warnings) log.warn({}, warning);
    };
    warn([...opened.warnings, ...salvageSettings(opened, clock.now())]);
    const store = openStore(opened, secrets.sealer, clock, () => housekeeping.unreadable());
    const memory = openEventMemory(store.settings, store.writer, clock.now());
    const events = createEvents({
      firstId: memory.firstId,
      giving: memory.giving,
      earlier: { events: memory.earlier, now: (event) => standing(event, book, session, settings) },
    });
    const alarm = createAlarm(clock);
    const transport = createTransport(options.patience);
    const closing = new AbortController();
    const known = createKnownSecrets();
    if (options.apiKey) known.add(options.apiKey);
    const session = await openSession({
      serviceUrl,
      apiKey: options.apiKey,
      fetcher: transport.fetcher,
      secrets: known.watching(secrets.store),
      settings: store.settings,
      writer: store.writer,
      now: clock.now,
      changed(all, login) {
        events.emit({ type: 'sessions.changed', sessions: all });
        if (login) events.emit({ type: 'session.changed', session: login.account });
        // Uploads that waited for somebody to sign in go on.
        if (all.some(({ state }) => state === 'active')) alarm.wake();
      },
    });
    const book = createBook({ store, clock, emit: events.emit });
    const jobs: JobPorts = {
      book,
      store,
      session,
      movers: transport,
      slots: createSlots(slotCount),
      rooms: createRooms(),
      receipts: openShelf(join(dataDir, 'receipts')),
      gates: { large: pLimit(largeChunksAtOnce), small: pLimit(smallChunksAtOnce) },
      admit: (path) => admit(path, settings.current().allowed_roots),
      log,
    };
    const limits = openLimits(store, clock);
    const readers = createReaders();
    const settings = openSettings(store, {
      roots: options.allowedRoots,
      changed(now) {
        events.emit({ type: 'settings.changed', settings: now });
        queue.limitsChanged();
        void housekeeping.run();
      },
    });
    const queue = createQueue({
      book,
      lists: store.lists,
      clock,
      alarm,
      random,
      log,
      limits() {
        const { max_concurrent_transfers: atOnce, order } = settings.current();
        return { atOnce, strict: order === 'strict' };
      },
      run: (record, context) => runJob({ jobs, transport, limits, readers }, record, context),
    });
    const actions = createTransferActions({
      serviceUrl,
      settings,
      book,
      queue,
      store,
      session,
      jobs,
      limits,
      clock,
      removed: () => void housekeeping.deleteRemoved(),
      closing: closing.signal,
    });
    const housekeeping = createHousekeeping({
      book,
      store,
      receipts: jobs.receipts,
      settings,
      clock,
      log,
      *takeOut() {
        const found = yield* salvageTransfers(opened, secrets.sealer, { now: clock.now, flush: store.writer.flush });
        warn(found);
        if (found.length > 0) book.forgot();
      },
    });
    const startedAt = new Date(clock.now()).toISOString();
    let closed: Promise<void> | null = null;

    const close = async (): Promise<void> => {
      closing.abort();
      await queue.close();
      await actions.settled();
      await housekeeping.close();
      const last = events.kept();
      memory.keep(last.events, last.nextId);
      store.close();
      await transport.close();
    };

    actions.recover();
    housekeeping.begin();
    const engine: Engine = {
      session: {
        current: session.current,
        signIn: session.signIn,
        signOut: session.signOut,
        teams: session.teams,
        list: session.list,
        add: session.add,
        remove: session.remove,
      },
      transfers: actions.transfers,
      settings: { current: settings.current, update: settings.update },
      folders: {
        list: (query) => listFolder(query, settings.current().allowed_roots),
        admit: (path) => void admit(path, settings.current().allowed_roots),
      },
      tokens: openTokens({ table: tokenTable(opened.db), writer: store.writer, clock }),
      rateLimits: {
        get: limits.get,
        async set(direction, limit) {
          const now = await limits.set(direction, limit);
          events.emit({ type: 'settings.changed', settings: settings.current() });
          return now;
        },
      },
      events: { subscribe: events.subscribe },
      secretsWarnings: secrets.warnings,
      status(): EngineStatus {
        const states = book.states();
        const held = actions.held();
        return {
          version,
          service_url: serviceUrl,
          signed_in: session.signedIn,
          started_at: startedAt,
          transfers: { active: states.transferring, queued: states.queued, failed: states.error },
          paused: held && { until: held.until === null ? null : new Date(held.until).toISOString() },
          warnings: [...damaged, ...secrets.warnings, ...session.warnings],
        };
      },
      supportBundle: (more) =>
        supportBundle({
          engine,
          log: options.recentLog?.() ?? [],
          system: systemFacts(dataDir),
          redact: redactor([...known.all(), ...secretsOf(store.lists, book.find)]),
          more,
          now: new Date(clock.now()),
        }),
      close: () => (closed ??= close()),
    };
    return engine;
  } catch (cause) {
    opened.db.close();
    throw cause;
  }
}

function checkedUrl(text: string): string {
  const url = URL.parse(text);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:') && !url.username && !url.password) return text.replace(/\/+$/, '');
  throw new EngineError('bad_service_url', `"${text}" is not the address of a service. Give one like https://longshore.example.com.`);
}
