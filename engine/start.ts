import { join } from 'node:path';
import pLimit from 'p-limit';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { openAutomations } from './automations/open-automations.ts';
import { currentState } from './current-state.ts';
import { openDrops } from './drops/drops.ts';
import type { Engine } from './engine.ts';
import { checkedUrl, type EngineOptions } from './engine-options.ts';
import { openEventReplay } from './event-replay.ts';
import { createEvents, type Happening } from './events.ts';
import { createDiskReservations, freeSpaceBy } from './folders/disk-reservations.ts';
import { createFolderCalls } from './folders/folder-calls.ts';
import { openForWriting } from './folders/open-for-writing.ts';
import { allowedPath } from './folders/roots.ts';
import { openGateway } from './gateway/gateway.ts';
import { mountsTable } from './gateway/mounts-table.ts';
import { createHandovers } from './handovers/handovers.ts';
import { createHousekeeping } from './housekeeping.ts';
import { createTransport } from './io/transport.ts';
import { openRateLimits } from './limits/rate-limits.ts';
import { systemClock } from './ports.ts';
import { forgetPutAway } from './put-away.ts';
import { createReachability, type UnreachableService, unreachableView } from './reachability.ts';
import { openReceiptStore } from './receipt/receipt-store.ts';
import { createKnownSecrets } from './secrets/known-secrets.ts';
import { openSecrets } from './secrets/open-secrets.ts';
import { openSession } from './session/session.ts';
import { createSsoSignIns } from './session/sso-sign-ins.ts';
import { teamLists } from './session/team-lists.ts';
import { openSettings } from './settings.ts';
import { openDatabase } from './state/database.ts';
import { salvageSettings, salvageTransfers } from './state/salvage.ts';
import { openStore } from './state/store.ts';
import { engineStatus } from './status.ts';
import { supportBundle } from './support/bundle.ts';
import { redactor } from './support/redact.ts';
import { systemFacts } from './support/system-facts.ts';
import { secretsOf } from './support/transfer-secrets.ts';
import { tokenTable } from './tokens/table.ts';
import { openTokens } from './tokens/tokens.ts';
import { createConnectionSpeeds } from './transfer/concurrency/connection-speed.ts';
import { createDiskReadLimiter } from './transfer/concurrency/disk-read-limiter.ts';
import { chunksInProgress, filePermits } from './transfer/concurrency/limits.ts';
import { createWeightedSemaphore } from './transfer/concurrency/weighted-semaphore.ts';
import { createDeadlines } from './transfer/deadlines/deadlines.ts';
import type { JobPorts } from './transfer/job.ts';
import { createQueue } from './transfer/queue.ts';
import { runJob } from './transfer/run-job.ts';
import { createSentPackages } from './transfer/sent-packages.ts';
import { createTransferRegistry } from './transfer/transfer-registry.ts';
import { createTransferActions } from './transfer/transfers.ts';
import { createWaker } from './transfer/waker.ts';

/**
 * Opens the agent's data folder and recovers the state of an earlier run. Rejects with an `EngineError` if the folder
 * cannot be used, another agent uses it, or the service's address is invalid. An unreachable service or a refused key
 * does not prevent the start.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { dataDir, version, log, clock = systemClock, random = Math.random, fileSystem = nodeFileSystem } = options;
  // Container files pass unset variables as empty.
  const vaultKey = options.vaultKey ?? (process.env['LONGSHORE_VAULT_KEY'] || undefined);
  const serviceUrl = checkedUrl(options.serviceUrl);
  const opened = (options.openState ?? openDatabase)(dataDir, { now: clock.now() });
  try {
    const secrets = await openSecrets({ dataDir, mode: options.secrets ?? 'auto', vaultKey });
    const damaged: string[] = [];
    const warn = (warnings: readonly string[]): void => {
      damaged.push(...warnings);
      for (const warning of warnings) log.warn({}, warning);
    };
    warn([...opened.warnings, ...salvageSettings(opened, clock.now())]);
    const store = openStore(
      opened,
      secrets.sealer,
      clock,
      () => housekeeping.unreadable(),
      (name) => warn([`The automation "${name}" cannot be read: its row is damaged, or its secrets are sealed with another key.`]),
    );
    const memory = openEventReplay(store.settings, store.writer, clock.now());
    const stream = createEvents({
      firstId: memory.firstId,
      giving: memory.giving,
      earlier: { events: memory.earlier, now: (event) => currentState(event, registry, session, settings) },
    });
    let automations: ReturnType<typeof openAutomations> | null = null;
    const events = {
      ...stream,
      emit(happening: Happening) {
        stream.emit(happening);
        automations?.heard(happening);
        drops.heard(happening);
      },
    };
    const waker = createWaker(clock);
    const transport = createTransport({ ...options.timeouts, program: `longshore/${version}` });
    const unreachable = (service: UnreachableService) => unreachableView(service, store.lists.withService(service.serviceUrl));
    const reachability = createReachability({
      clock,
      random,
      fetcher: transport.fetcher,
      isWaitedFor: () => registry.states().transferring > 0,
      changed: (services) => events.emit({ type: 'services.changed', unreachable: services.map(unreachable) }),
      back: () => queue.tryNow(),
    });
    const fetcher = reachability.watch(transport.fetcher);
    const closing = new AbortController();
    const known = createKnownSecrets();
    if (options.apiKey) known.add(options.apiKey);
    let warningsChanged = (): void => undefined;
    const session = await openSession({
      serviceUrl,
      apiKey: options.apiKey,
      fetcher,
      secrets: known.remembering(secrets.store),
      settings: store.settings,
      writer: store.writer,
      now: clock.now,
      changed(all, login) {
        events.emit({ type: 'sessions.changed', sessions: all });
        if (login) events.emit({ type: 'session.changed', session: login.account });
        // Uploads that waited for a sign-in continue.
        if (all.some(({ state }) => state === 'active')) waker.wake();
        warningsChanged();
      },
    });
    const sso = createSsoSignIns({ serviceUrl, add: session.add, now: clock.now });
    // A clock that a test moves goes forward only; the machine's may be set.
    const elapsed = options.clock ? clock.now : () => performance.now();
    const deadlines = createDeadlines({
      lists: store.lists,
      clock,
      elapsed,
      limit: (direction) => limits.rate(direction),
      find: (id) => registry.find(id),
      expectedBytes: (id) => registry.expectedBytes(id),
    });
    const registry = createTransferRegistry({ store, clock, emit: events.emit, deadlines });
    const diskReservations = createDiskReservations(freeSpaceBy(fileSystem));
    const drops = openDrops({ dataDir, fileSystem, reservations: diskReservations, clock, log, isUsed: store.lists.isDropUsed });
    const jobs: JobPorts = {
      registry,
      store,
      session,
      transport: { ...transport, fetcher },
      fileSemaphore: createWeightedSemaphore(filePermits.total),
      diskReservations,
      speeds: createConnectionSpeeds(),
      receipts: openReceiptStore(join(dataDir, 'receipts'), fileSystem),
      gates: { large: pLimit(chunksInProgress.large), small: pLimit(chunksInProgress.small) },
      renewPackageToken: options.renewPackageToken ?? (async () => null),
      pathGuard: (path) => drops.realPathOf(path) ?? allowedPath(path, settings.current().allowed_roots, fileSystem),
      log,
      fileSystem,
    };
    const limits = openRateLimits(store, clock);
    const diskReads = createDiskReadLimiter();
    const settings = openSettings(store, {
      roots: options.allowedRoots,
      fileSystem,
      changed(now) {
        events.emit({ type: 'settings.changed', settings: now });
        queue.limitsChanged();
        void housekeeping.run();
      },
    });
    const queue = createQueue({
      registry,
      lists: store.lists,
      deadlines,
      writer: store.writer,
      clock,
      waker,
      random,
      log,
      limits() {
        const { max_concurrent_transfers: atOnce, order } = settings.current();
        return { atOnce, strict: order === 'strict' };
      },
      run: (record, context, attempt) =>
        runJob(
          {
            jobs: attempt.portsFor(jobs),
            ...{ sharedTransport: transport, limits, diskReads, watch: reachability.watch, tracer: options.tracer ?? null },
          },
          record,
          context,
        ),
    });
    const actions = createTransferActions({
      serviceUrl,
      settings,
      registry,
      queue,
      store,
      session,
      jobs,
      limits,
      clock,
      drops,
      removed: () => void housekeeping.deleteRemoved(),
      tryServicesNow: reachability.tryNow,
      closing: closing.signal,
    });
    const housekeeping = createHousekeeping({
      registry,
      store,
      receipts: jobs.receipts,
      settings,
      clock,
      log,
      *takeOut() {
        const found = yield* salvageTransfers(opened, secrets.sealer, { now: clock.now, flush: store.writer.flush });
        warn(found);
        if (found.length > 0) registry.invalidateAll();
      },
    });
    const gateway = openGateway({
      dataDir,
      version,
      table: mountsTable(opened.db),
      writer: store.writer,
      secrets: known.remembering(secrets.store),
      session,
      limits,
      clock,
      random,
      log,
      fileSystem,
      serves: options.servesMounts ?? true,
      startMountChild: options.startMountChild,
      otherFolders: () => automations?.folders().map(({ of: what, path }) => ({ path, what })) ?? [],
      emit: events.emit,
    });
    automations = openAutomations({
      serviceUrl,
      store,
      registry,
      session,
      jobs,
      fileSystem,
      openForWriting,
      pathGuard: jobs.pathGuard,
      uploadChosen: actions.uploadChosen,
      downloadChosen: actions.downloadChosen,
      otherFolders: () => gateway.list().map(({ name, path }) => ({ of: `the mount "${name}"`, role: 'target', path })),
      clock,
      elapsed,
      random,
      log,
      emit: events.emit,
      closing: closing.signal,
    });
    const startedAt = new Date(clock.now()).toISOString();
    let closed: Promise<void> | null = null;

    const close = async (): Promise<void> => {
      closing.abort();
      sso.close();
      reachability.close();
      await gateway.close();
      await automations?.close();
      await drops.close();
      await queue.close();
      await actions.settled();
      await housekeeping.close();
      const last = events.replayable();
      try {
        memory.keep(last.events, last.nextId);
        store.close();
      } catch (error) {
        // Same as after a kill: uncommitted changes are recovered.
        log.warn({ error: String(error) }, 'the last changes of the state could not be written');
        opened.db.close();
      }
      await transport.close();
    };

    actions.recover();
    housekeeping.begin();
    automations.begin();
    const warnings = (): readonly string[] => [...damaged, ...secrets.warnings, ...session.warnings];
    warningsChanged = () => {
      forgetPutAway(settings, warnings(), session.mayWarn).catch((error: unknown) =>
        log.warn({ error: String(error) }, 'settings could not be written'),
      );
    };
    warningsChanged();
    const engine: Engine = {
      session: {
        current: session.current,
        signIn: session.signIn,
        signOut: session.signOut,
        teams: session.teams,
        list: session.list,
        add: session.add,
        remove: session.remove,
        createApiKey: session.createApiKey,
        sso,
      },
      teams: teamLists(session),
      transfers: actions.transfers,
      handovers: createHandovers({ jobs, adopt: actions.adopt, lists: store.lists, settings, clock }),
      sentPackages: createSentPackages({ registry, writer: store.writer, session, jobs }),
      settings: { current: settings.current, update: settings.update },
      folders: createFolderCalls({ settings, lists: store.lists, find: registry.find, drops, fileSystem, clock }),
      drops,
      automations: automations.automations,
      tokens: openTokens({ table: tokenTable(opened.db), writer: store.writer, clock }),
      rateLimits: {
        get: limits.get,
        async set(direction, limit) {
          const now = await limits.set(direction, limit);
          events.emit({ type: 'settings.changed', settings: settings.current() });
          gateway.limitsChanged();
          return now;
        },
      },
      gateway: {
        list: gateway.list,
        get: gateway.get,
        create: gateway.create,
        update: gateway.update,
        remove: gateway.remove,
        check: gateway.check,
      },
      events: { subscribe: events.subscribe },
      secretsWarnings: secrets.warnings,
      status: () =>
        engineStatus({
          ...{ version, serviceUrl, startedAt, session, registry, pause: actions.globalPause(), warnings: warnings() },
          unreachable: reachability.unreachable().map(unreachable),
        }),
      supportBundle: (more) =>
        supportBundle({
          engine,
          log: options.recentLog?.() ?? [],
          system: systemFacts(dataDir, fileSystem),
          redact: redactor([...known.all(), ...secretsOf(store.lists, registry.find)]),
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
