import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { DatabaseConnection } from '../database/database-connection.ts';
import type { Database } from '../database/schema/database.ts';
import type { Log } from '../log.ts';
import { maxMessageBytes, openChannel } from './channel.ts';
import { addChanges, type ChangeList, type Changes, noChanges } from './event.ts';
import { channelName, createFinalizations, type FinalizationWait } from './finalizations.ts';
import { type Message, parseMessage } from './message.ts';
import { createPoll } from './poll.ts';
import { readAllProgress } from './progress.ts';
import { createTeamHub, type TeamSubscription } from './team-hub.ts';
import { createWatch, eventPause, type Subscription, type Watch } from './watch.ts';

/** Events of packages and of Teams, through all processes of the service (docs/decisions/0015, 0085). */
export interface PackageEvents {
  /** Reports that a package or its files have changed. The details are computed only if somebody watches it. */
  changed(packageId: string, changes?: () => Changes): void;
  /** Reads a package's events from its present state on. */
  subscribe(packageId: string): Subscription;
  /** Registers a listener for every change by this process, watched or not. */
  listen(listener: (packageId: string) => void): void;
  /** Somebody waits for a package of this Team to be finalized, by any process. */
  expectFinalized(teamId: string): FinalizationWait;
  /** Reads what changes in a Team from now on, or since a position of `watchTeam` or of another stream, by any process. */
  subscribeTeam(teamId: string, position?: string): Promise<TeamSubscription>;
  /** The position from which on no change of a Team is missed; null where that is not certain at once. */
  watchTeam(teamId: string): Promise<string | null>;
  /** Whether this process stops. */
  readonly closed: boolean;
  /** Ends every subscription, and wakes whoever waits. */
  close(): Promise<void>;
}

interface EventsParts {
  readonly db: Kysely<Database>;
  readonly connection: DatabaseConnection;
  readonly now: () => Date;
  readonly log: Log;
}

/** Every process announces the packages that it watches at this interval; those it does not repeat are removed. */
const watchingIntervalMilliseconds = 30_000;
const watchTtlMilliseconds = 75_000;
/** Polling interval, also without any message. */
const pollMilliseconds = 15_000;
/** A new watch polls once more after this time: other processes may have made changes before they knew of it. */
const firstPollMilliseconds = 1_000;
/** Packages in one message: an id has 36 characters. */
const idsPerMessage = Math.floor((maxMessageBytes - 200) / 40);

export function openPackageEvents({ db, connection, now, log }: EventsParts): PackageEvents {
  const self = randomUUID();
  const watches = new Map<string, Watch>();
  /** The packages that other processes watch, and until when (`performance.now()`). */
  const watchedElsewhere = new Map<string, number>();
  const waiting = new Map<string, ChangeList>();
  const listeners: ((packageId: string) => void)[] = [];
  const finalizations = createFinalizations();
  const teams = createTeamHub({ db, log, time: () => channel.time() });
  let sending: NodeJS.Timeout | undefined;
  const pollAll = createPoll(watches, (ids) => readAllProgress(db, ids));
  let closed = false;

  const publish = (message: Message): void => channel.publish(JSON.stringify(message));

  function publishWatching(ids: readonly string[]): void {
    for (let at = 0; at < ids.length; at += idsPerMessage) {
      publish({ type: 'watching', from: self, packages: ids.slice(at, at + idsPerMessage) });
    }
  }

  function onMessage(text: string): void {
    const message = parseMessage(text);
    if (!message || message.from === self) return;
    switch (message.type) {
      case 'who':
        publishWatching([...watches.keys()]);
        return;
      case 'watching':
        for (const id of message.packages) watchedElsewhere.set(id, performance.now() + watchTtlMilliseconds);
        return;
      case 'finalized':
        finalizations.finalized(message.team);
        return;
      case 'team':
        teams.changed(message.team, message.what, message.ids);
        return;
      case 'changed':
        watches.get(message.package)?.changed(new Map(message.changes), message.unnamed);
    }
  }

  /** Batches recent changes into one message per package. */
  function queueChanges(packageId: string, changes: Changes): void {
    const list = waiting.get(packageId) ?? noChanges();
    waiting.set(packageId, list);
    addChanges(list, changes);
    sending ??= setTimeout(() => {
      sending = undefined;
      for (const [id, { named, unnamed }] of waiting) {
        publish({ type: 'changed', from: self, package: id, changes: [...named], unnamed });
      }
      waiting.clear();
    }, eventPause);
  }

  const timers = [
    setInterval(() => {
      for (const [id, until] of watchedElsewhere) if (until < performance.now()) watchedElsewhere.delete(id);
      publishWatching([...watches.keys()]);
    }, watchingIntervalMilliseconds),
    setInterval(() => void pollAll(), pollMilliseconds),
  ];
  for (const timer of timers) timer.unref();

  const channel = openChannel(
    channelName,
    connection,
    {
      onMessage,
      onConnected() {
        publish({ type: 'who', from: self });
        publishWatching([...watches.keys()]);
        void pollAll();
        finalizations.wakeAll();
        teams.reset();
      },
    },
    log,
  );

  return {
    changed(packageId, changes = () => new Map()) {
      if (closed) return;
      for (const listener of listeners) listener(packageId);
      watches.get(packageId)?.changed(changes(), 0);
      if (watchedElsewhere.has(packageId)) queueChanges(packageId, changes());
    },
    subscribe(packageId) {
      let watch = watches.get(packageId);
      if (!watch) {
        const made = createWatch({
          db,
          packageId,
          now,
          log,
          onLastReaderLeft: () => {
            if (watches.get(packageId) === made) watches.delete(packageId);
          },
        });
        watch = made;
        if (closed) made.end();
        else watches.set(packageId, made);
        publishWatching([packageId]);
        setTimeout(() => {
          if (watches.get(packageId) === made) made.poll();
        }, firstPollMilliseconds).unref();
      }
      return watch.subscribe();
    },
    listen(listener) {
      listeners.push(listener);
    },
    expectFinalized: finalizations.begin,
    subscribeTeam: teams.subscribe,
    watchTeam: teams.watch,
    get closed() {
      return closed;
    },
    async close() {
      if (closed) return;
      closed = true;
      finalizations.wakeAll();
      teams.close();
      for (const timer of timers) clearInterval(timer);
      clearTimeout(sending);
      for (const watch of watches.values()) watch.end();
      watches.clear();
      await channel.close();
    },
  };
}
