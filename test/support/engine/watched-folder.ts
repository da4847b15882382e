import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { AutomationKind } from '#protocol/agent/automations/automation.ts';
import type { LedgerEntry } from '#protocol/agent/automations/history.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { diskFolder } from '../system/temp-folder.ts';
import { startTestEngine, transferWhen } from './start-engine.ts';

/** A folder that an automation of a real engine watches, and what comes of it. */
export interface WatchedFolder {
  /** Of the test: the watched folder is one in it. */
  readonly path: string;
  readonly hot: string;
  readonly engine: Engine;
  /** Makes an automation of the folder, with these fields besides those that all have. */
  watch(fields?: object, kind?: AutomationKind): Promise<string>;
  uploads(): Promise<readonly AgentTransfer[]>;
  /** The ledger's entries. */
  ledger(id: string): readonly LedgerEntry[];
  /** The same by path: the state of each. */
  states(id: string): Record<string, string>;
  /** Downloads a package into a folder of its own, and returns that. */
  download(url: string, options?: { readonly create_package_folder?: boolean; readonly dst_folder?: string }): Promise<string>;
  /** Ends the engine; `start` has it go on. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

interface Service {
  readonly url: string;
  readonly apiKey: string;
  readonly teamId: string;
}

/** @param usual fields of each automation here, besides its name, folder and Team */
export async function openWatchedFolder(service: Service, usual: object = {}): Promise<WatchedFolder> {
  const own = await diskFolder();
  const hot = join(own.path, 'hot');
  mkdirSync(hot);
  let downloads = 0;
  const start = (): Promise<Engine> =>
    startTestEngine({ dataDir: join(own.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey });
  let engine = await start();
  const ledger = (id: string): readonly LedgerEntry[] => engine.automations.ledger(id, { limit: 100 }).records;
  return {
    path: own.path,
    hot,
    get engine() {
      return engine;
    },
    async watch(fields = {}, kind = 'team_upload') {
      const to = kind === 'team_upload' ? { team_id: service.teamId, recipients: [] } : {};
      const given = { name: 'Hot', active: true, folder: hot, settle_seconds: 1, existing: true, ...to, ...usual, ...fields };
      return (await engine.automations.create(kind, given)).id;
    },
    uploads: async () => (await engine.transfers.list('upload', { page: 1, limit: 50, sort: 'created_at' })).records,
    ledger,
    states: (id) => Object.fromEntries(ledger(id).map(({ path, state }) => [path, state])),
    async download(url, { create_package_folder, dst_folder = join(own.path, `got-${++downloads}`) } = {}) {
      const { id } = await engine.transfers.download({
        url,
        dst_folder,
        ...(create_package_folder === undefined ? {} : { create_package_folder }),
      });
      expect((await transferWhen(engine, id)).state).toBe('complete');
      return dst_folder;
    },
    stop: () => engine.close(),
    async start() {
      engine = await start();
    },
    async close() {
      await engine.close();
      await own.remove();
    },
  };
}
