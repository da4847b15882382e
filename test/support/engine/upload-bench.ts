import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TeamUploadRecord, UploadAutomation } from '#engine/automations/record.ts';
import type { AutomationWork, PassResult } from '#engine/automations/runner/work.ts';
import { createUploadWork } from '#engine/automations/uploads/upload-work.ts';
import type { Clock } from '#engine/ports.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import { chosenUpload } from '#engine/transfer/chosen-upload.ts';
import { createTransferRegistry, type TransferRegistry } from '#engine/transfer/transfer-registry.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';

/**
 * What an automation that sends does at its passes, over a real folder and a real state file. Its transfers run here, and
 * its service is a list; the process may crash at any step that changes something.
 */
export interface UploadBench {
  readonly hot: string;
  readonly done: string;
  readonly store: Store;
  /** What the service has finalized: the contents of each package's files, by name in it. */
  readonly packages: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** One pass. `null` where the process crashed in it; then the next one has begun. */
  pass(): Promise<PassResult | null>;
  /** Runs the transfers that wait. */
  transfer(): Promise<void>;
  cancel(): Promise<void>;
  /** As a person does with entries that failed. */
  forgetFailed(): Promise<void>;
  wait(milliseconds: number): void;
  /** Crashes at this step from now on: a change on the disk, a commit or what the service finalizes. */
  crashAt(step: number): void;
  /** Crashes now, and begins anew. */
  restart(): void;
  close(): Promise<void>;
}

class Crash extends Error {}

const changes = new Set<keyof FileSystem>(['link', 'unlink', 'rename', 'rmdir', 'mkdir', 'removeNow', 'openNow', 'open']);
const id = 'automation';

export function openUploadBench(folder: string, fields: Partial<TeamUploadRecord['fields']>, start = Date.UTC(2026, 10, 23)): UploadBench {
  const [hot, done, state] = [join(folder, 'hot'), join(folder, 'done'), join(folder, 'state')];
  for (const path of [hot, done]) mkdirSync(path, { recursive: true });
  const packages = new Map<string, Map<string, string>>();
  const signal = new AbortController().signal;
  let now = start;
  let transfers = 0;
  let stepsLeft = Number.POSITIVE_INFINITY;
  let run = begin();

  /** Before and after what a step does. */
  function step(): void {
    if (--stepsLeft > 0) return;
    crash();
    throw new Crash('The process has crashed.');
  }

  function crash(): void {
    if (run.crashed) return;
    run.crashed = true;
    // What is not committed is lost.
    run.db.close();
  }

  function begin() {
    const opened = openDatabase(state, { now });
    const self = { crashed: false, db: opened.db };
    const alive = (): void => {
      if (self.crashed) throw new Crash('The process has crashed.');
    };
    const around = <T>(change: () => T): T => {
      alive();
      step();
      const result = change();
      step();
      return result;
    };
    const clock: Clock = {
      now: () => now,
      after(_, call) {
        const timer = setImmediate(() => {
          if (!self.crashed) call();
        });
        return () => clearImmediate(timer);
      },
    };
    const db = new Proxy(opened.db, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name !== 'prepare') return value.bind(target);
        return (sql: string) => {
          const statement = target.prepare(sql);
          if (sql !== 'COMMIT') return statement;
          return { run: () => around(() => statement.run()) };
        };
      },
    });
    const store = openStore({ ...opened, db }, sealerOf(Buffer.alloc(32)), clock);
    const fileSystem = new Proxy(nodeFileSystem, {
      get(target, name: keyof FileSystem) {
        if (name === 'watch') return () => ({ ready: Promise.resolve('polling'), close: async () => {} });
        const call = target[name] as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          alive();
          // Reading changes nothing.
          const reads = (name === 'open' || name === 'openNow') && args.length < 3 && (args[1] as number) % 4 === 0;
          return changes.has(name) && !reads ? around(() => call(...args)) : call(...args);
        };
      },
    });
    const registry: TransferRegistry = createTransferRegistry({ store, clock, emit: () => {} });
    let record = store.automations.records.all()[0] as UploadAutomation | undefined;
    if (!record) {
      record = automation(hot, done, fields, now);
      store.writer.write(() => store.automations.records.insert(record!));
      store.writer.flush();
    }
    const work: AutomationWork = createUploadWork(
      {
        serviceUrl: 'http://service',
        store,
        registry,
        fileSystem,
        openForWriting: async () => new Set(),
        pathGuard: (path) => path,
        session: { findFor: async () => ({ id: 'session', serviceUrl: 'http://service' }) as never },
        jobs: {} as never,
        async uploadChosen(request, alsoWrite) {
          alive();
          const transferId = `transfer-${String(++transfers).padStart(4, '0')}`;
          const common = { id: transferId, phase: { state: 'queued' }, priority: 'normal', position: transfers, rateLimit: 0 } as const;
          const counts = { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0, createdAt: now, updatedAt: now };
          store.writer.write(() => {
            registry.add(chosenUpload({ ...common, ...counts }, request));
            store.files.insert(transferId, request.files);
            alsoWrite(transferId);
          });
          await store.writer.committed();
          return transferId;
        },
        patchFacts(_, facts) {
          record = { ...record!, facts: { ...record!.facts, ...facts } } as UploadAutomation;
          store.automations.records.update(record);
        },
        now: () => now,
        elapsed: () => now - start,
        clock,
        log: { warn: () => {} },
      },
      { id, record: () => record!, wake: () => {} },
    );
    return Object.assign(self, { store, registry, work, around, record: () => record! });
  }

  function restart(): void {
    crash();
    stepsLeft = Number.POSITIVE_INFINITY;
    run = begin();
  }

  /** `null` where the process crashed meanwhile; errors that are not the crash are the bench's own. */
  async function survive<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      const result = await work();
      if (!run.crashed) return result;
    } catch (cause) {
      if (!run.crashed) throw cause;
    }
    restart();
    return null;
  }

  const openTransfers = (): string[] =>
    run.store.automations.ledger
      .openTransfers(id)
      .filter((one) => !['complete', 'error', 'cancelled'].includes(run.registry.get(one).phase.state));

  /** As a job does: what is sent is noted, then the package is finalized, then that it is over. */
  async function transferOne(transferId: string): Promise<void> {
    const { store, registry, around } = run;
    registry.apply(transferId, { type: 'start' });
    const contents = new Map<string, string>();
    if (!packages.has(transferId)) {
      for (const file of store.files.after(transferId, 0, 1_000)) {
        if (file.kind !== 'file') continue;
        const found = statSync(file.local, { throwIfNoEntry: false });
        if (found) contents.set(file.local, readFileSync(file.local, 'utf8'));
        store.writer.write(() => {
          if (!found) return store.files.skipped(file.id, { code: 1, message: 'It is gone.', retryable: false } as never);
          const inode = `${found.dev}:${found.ino}`;
          if (found.size !== file.size || found.mtimeMs !== file.modifiedAt || inode !== file.inode)
            store.files.restamped(file.id, { size: found.size, mtimeMs: found.mtimeMs, inode });
          store.files.completed(file.id, 'digest');
        });
      }
      await store.writer.committed();
      if (contents.size === 0) {
        registry.apply(transferId, { type: 'cancel', at: now });
        return;
      }
      around(() => packages.set(transferId, contents));
    }
    registry.patchUpload(transferId, { package: { state: 'finalized', id: `package of ${transferId}` }, receipt: 'key' });
    registry.apply(transferId, { type: 'finish', at: now });
  }

  return {
    hot,
    done,
    get store() {
      return run.store;
    },
    packages,
    pass: () => survive(() => run.work.pass(run.record(), signal)),
    transfer: async () =>
      void (await survive(async () => {
        for (const one of openTransfers()) await transferOne(one);
      })),
    cancel: async () =>
      void (await survive(async () => {
        for (const one of openTransfers()) if (!packages.has(one)) run.registry.apply(one, { type: 'cancel', at: now });
        await run.store.writer.committed();
      })),
    forgetFailed: async () =>
      void (await survive(async () => {
        const { store } = run;
        const failed = store.automations.ledger.inState(id, 'failed', 0, 1_000).map((row) => row.id);
        store.writer.write(() => store.automations.ledger.forget(id, failed));
        await store.writer.committed();
      })),
    wait(milliseconds) {
      now += milliseconds;
    },
    crashAt(at) {
      stepsLeft = at;
    },
    restart,
    async close() {
      await run.work.close();
      crash();
    },
  };
}

function automation(hot: string, done: string, fields: Partial<TeamUploadRecord['fields']>, now: number): TeamUploadRecord {
  return {
    id,
    kind: 'team_upload',
    fields: {
      name: 'Hot',
      active: true,
      folder: hot,
      recursive: true,
      settle_seconds: 1,
      package_per: 'entry',
      growing: false,
      growing_idle_seconds: 60,
      by_content: false,
      existing: true,
      after: 'keep',
      ...(fields.after === 'move' ? { move_to: done } : {}),
      team_id: 'team',
      recipients: [],
      ...fields,
    },
    facts: { counter: 0 },
    secrets: {},
    restricted: false,
    createdAt: now,
    updatedAt: now,
    lastRunAt: null,
  };
}
