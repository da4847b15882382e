import { Readable } from 'node:stream';
import Database from 'better-sqlite3';
import type { Engine, EngineEvent } from '#engine/engine.ts';
import { findDropped } from '#engine/folders/find-dropped.ts';
import { listFolder } from '#engine/folders/list.ts';
import { measurePaths } from '#engine/folders/measure.ts';
import { listPlaces } from '#engine/folders/places.ts';
import { allowedPath } from '#engine/folders/roots.ts';
import { type Clock, systemClock } from '#engine/ports.ts';
import { defaultSettings } from '#engine/settings.ts';
import { sql as tokenSql } from '#engine/state/migrations/0006-tokens.ts';
import { tokenTable } from '#engine/tokens/table.ts';
import { openTokens, type Tokens } from '#engine/tokens/tokens.ts';
import type { Mount } from '#protocol/agent/mounts.ts';
import type { SentPackage } from '#protocol/agent/sent-package.ts';
import type { AgentSession } from '#protocol/agent/session.ts';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import type { RateLimit } from '#protocol/agent/settings.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { sampleApiKey } from '../browser/samples.ts';

/** An engine in memory: what it was asked is recorded, what it answers is set by the test. */
export interface FakeEngine extends Engine {
  readonly calls: { readonly name: string; readonly input: unknown }[];
  readonly store: Map<string, AgentTransfer>;
  /** Makes an event and gives it to all subscribers. */
  emit(event: { type: 'transfer.added' | 'transfer.changed'; transfer: AgentTransfer }): void;
  readonly subscribers: Set<() => void>;
  /** The next call of this name fails with this. */
  failNext(name: string, error: unknown): void;
}

export const mia: AgentSession = {
  user: { id: 'u1', email: 'mia@example.com', name: 'Mia' },
  teams: [
    {
      id: 't1',
      name: 'Harbour Films',
      subdomain: 'harbour',
      custom_expiry_default: 10,
      custom_expiry_enabled: true,
      download_limit_default: 0,
      download_limit_enabled: false,
      max_email_recipients: 50,
    },
  ],
};

export const miaSignedIn: SignedIn = {
  id: 's1',
  service_url: 'http://127.0.0.1:8080',
  kind: 'user',
  state: 'active',
  login: true,
  ...mia,
};

export function fakeMount(changes: Partial<Mount> = {}): Mount {
  return {
    id: 'm1',
    name: 'NAS',
    team_id: 't1',
    gateway_id: 'g1',
    cloud_connection_id: 'c1',
    path: '/mnt/nas',
    read_only: false,
    state: 'ok',
    reason: '',
    free_bytes: 1_000_000,
    tasks: 0,
    created_at: '2026-11-20T10:00:00.000Z',
    updated_at: '2026-11-20T10:00:00.000Z',
    ...changes,
  };
}

export function fakeTransfer(changes: Partial<AgentTransfer> = {}): AgentTransfer {
  return {
    id: 'tr1',
    kind: 'upload',
    state: 'transferring',
    name: 'Dailies',
    team_id: 't1',
    package_id: 'p1',
    url: '',
    links: [],
    dst_folder: '',
    paths: ['/media/A001'],
    priority: 'normal',
    position: 1,
    bytes: 10,
    total_bytes: 100,
    files: 0,
    total_files: 1,
    bytes_per_second: 5,
    seconds_left: 18,
    waiting: null,
    error: null,
    created_at: '2026-11-20T10:00:00.000Z',
    updated_at: '2026-11-20T10:00:01.000Z',
    finished_at: null,
    ...changes,
  };
}

const sentPackage = (id: string): SentPackage => ({
  id,
  name: 'Dailies',
  state: 'finalized',
  size: 100,
  total_files: 1,
  expiry: '2026-12-01T00:00:00.000Z',
  unlimited_storage: false,
  has_password: false,
  links: [],
  can_mail: false,
});

export function fakeEngine(options: { signedIn?: boolean } = {}): FakeEngine {
  let session: AgentSession | null = options.signedIn === false ? null : mia;
  let settings = defaultSettings('/home/mia');
  const calls: FakeEngine['calls'] = [];
  const store = new Map<string, AgentTransfer>();
  const failures = new Map<string, unknown>();
  const events: EngineEvent[] = [];
  const subscribers = new Set<() => void>();

  const record = (name: string, input: unknown) => {
    calls.push({ name, input });
    if (failures.has(name)) {
      const failure = failures.get(name);
      failures.delete(name);
      throw failure;
    }
  };
  const day = { enabled: false, start: '09:00', end: '17:00' };
  const schedule = { mon: day, tue: day, wed: day, thu: day, fri: day, sat: day, sun: day };
  const noLimit: RateLimit = { enabled: false, rate_limit_bps: 0, schedule_enabled: false, schedule };
  const rateLimits = { upload: noLimit, download: noLimit };
  const signedIn = (): AgentSession => {
    if (!session) throw new AgentError('session_is_nil');
    return session;
  };
  const found = (id: string): AgentTransfer => {
    const transfer = store.get(id);
    if (!transfer) throw new ApiError('not_found', { resource: 'transfer' });
    return transfer;
  };
  const add = (transfer: AgentTransfer): AgentTransfer => {
    store.set(transfer.id, transfer);
    return transfer;
  };
  const mounts = new Map<string, Mount>();
  const mountOf = (id: string): Mount => {
    const mount = mounts.get(id);
    if (!mount) throw new ApiError('not_found', { resource: 'mount' });
    return mount;
  };
  const addMount = (mount: Mount): Mount => {
    mounts.set(mount.id, mount);
    return mount;
  };

  return {
    calls,
    store,
    subscribers,
    failNext: (name, error) => failures.set(name, error),
    emit: (event) => {
      events.push({ id: events.length + 1, ...event });
      for (const wake of subscribers) wake();
    },
    session: {
      current: async () => signedIn(),
      signIn: async (email, password) => {
        record('signIn', { email, password });
        if (password !== 'correct horse') throw new ApiError('wrong_password');
        session = mia;
        return mia;
      },
      signOut: async () => {
        signedIn();
        session = null;
      },
      teams: async () => [...signedIn().teams],
      list: () => (session === null ? [] : [miaSignedIn]),
      add: async (request) => {
        record('addSession', request);
        return miaSignedIn;
      },
      remove: async (id) => {
        record('removeSession', { id });
        if (id !== miaSignedIn.id) throw new ApiError('not_found', { resource: 'session' });
      },
      createApiKey: async ({ name }) => {
        signedIn();
        record('createApiKey', { name });
        return sampleApiKey({ name });
      },
      sso: {
        start: async (request) => {
          record('startSso', request);
          return { id: 'sso1', state: 'waiting', url: 'http://127.0.0.1:8080/sso/app', expires_at: '2126-11-20T08:10:00.000Z' };
        },
        get: (id) => ({
          id,
          state: 'done',
          url: 'http://127.0.0.1:8080/sso/app',
          expires_at: '2126-11-20T08:10:00.000Z',
          session: miaSignedIn,
        }),
        cancel: (id) => record('cancelSso', { id }),
      },
    },
    teams: {
      portals: async () => {
        signedIn();
        return [{ id: 'portal-1', name: 'Northlight dailies', subdomain: 'northlight', active: true }];
      },
      gatewayConnections: async () => {
        signedIn();
        return [{ id: 'c1', name: 'Dailies NAS', provider: 'storage_gateway', direction: 'service_to_cloud', state: 'offline' }];
      },
    },
    drops: {
      create: async (request) => {
        record('createDrop', request);
        return { id: 'drop1', path: '/data/drops/drop1/files', bytes: request.bytes };
      },
      state: () => ({ bytes: 0, whole: false }),
      put: async (id, slice, bytes) => {
        const pieces: Uint8Array[] = [];
        for await (const piece of bytes) pieces.push(piece);
        record('putDroppedFile', { id, slice, text: Buffer.concat(pieces).toString() });
        return { bytes: slice.size, whole: true };
      },
      remove: async (id) => record('deleteDrop', { id }),
    },
    transfers: {
      upload: async (request) => {
        signedIn();
        record('upload', request);
        return add(fakeTransfer({ id: `up${store.size + 1}`, name: request.package_name, paths: request.paths }));
      },
      portalUpload: async (request) => {
        record('portalUpload', request);
        return add(fakeTransfer({ id: `up${store.size + 1}`, team_id: '', name: request.package_name, paths: request.paths }));
      },
      download: async (request) => {
        record('download', request);
        return add(fakeTransfer({ id: `down${store.size + 1}`, kind: 'download', dst_folder: request.dst_folder }));
      },
      downloadPackage: async (request) => {
        record('downloadPackage', request);
        return add(fakeTransfer({ id: request.id ?? `down${store.size + 1}`, kind: 'download', dst_folder: request.dstFolder }));
      },
      renamed: async () => ({ total: 0, first: [] }),
      cleanUp: async (id) => record('cleanUp', id),
      uploadToPackage: async (request) => {
        record('uploadToPackage', request);
        return add(fakeTransfer({ id: request.id ?? `up${store.size + 1}`, team_id: '', paths: request.files.map(({ local }) => local) }));
      },
      previewLink: async (request) => {
        record('previewLink', request);
        throw new ApiError('not_found', { resource: 'link' });
      },
      mailLinkCode: async (request) => {
        record('mailLinkCode', request);
        return { recipient: 'm…@example.com', valid_seconds: 600, pause_seconds: 60 };
      },
      mailDownloadCode: async (id) => {
        record('mailDownloadCode', { id: found(id).id });
        return { recipient: 'm…@example.com', valid_seconds: 600, pause_seconds: 60 };
      },
      previewPortal: async (request) => {
        record('previewPortal', request);
        throw new ApiError('not_found', { resource: 'Portal' });
      },
      list: async (kind, query) => {
        record('list', { kind, query });
        const records = [...store.values()].filter((one) => kind === 'all' || one.kind === kind);
        return { total: records.length, records };
      },
      summary: async (filter) => {
        record('summary', filter);
        const states = { queued: 0, transferring: 0, paused: 0, idle: 0, complete: 0, error: 0, cancelled: 0 };
        for (const { state } of store.values()) states[state] += 1;
        return { states, bytes_left: 90, upload_bps: 5, download_bps: 0 };
      },
      log: async (id) => {
        found(id);
        return { records: [{ at: '2026-11-20T10:00:00.000Z', event: 'added', detail: '' }] };
      },
      actOnBatch: async (request) => {
        record('actOnBatch', request);
        return { done: store.size, refused: 0, reason: '' };
      },
      get: async (id) => found(id),
      remove: async (id) => {
        found(id);
        store.delete(id);
      },
      receipt: async (id) => {
        record('receipt', { id });
        return Readable.from([Buffer.from('{"receipt":"…"}\n')]);
      },
      files: async (id, page) => {
        record('files', { id, page });
        found(id);
        return { total: 0, records: [] };
      },
      change: async (id, change) => {
        record('change', { id, change });
        const changed = { ...found(id), ...change };
        store.set(id, changed);
        return changed;
      },
      pause: async (id, hours) => record('pause', { id, hours }),
      resume: async (id) => record('resume', { id }),
      retry: async (id) => record('retry', { id }),
      finalize: async (id) => record('finalize', { id }),
      addFiles: async (id, paths) => {
        record('addFiles', { id, paths });
        return found(id);
      },
      pauseAll: async (hours) => record('pauseAll', { hours }),
      resumeAll: async () => record('resumeAll', {}),
      tryNow: async () => record('tryNow', {}),
    },
    handovers: {
      find: async () => null,
      preview: async (link) => {
        record('previewHandover', { link });
        throw new ApiError('not_found', { resource: 'handover' });
      },
      match: async (request) => {
        record('matchHandover', request);
        return { found: 1, changed: 0, missing: 0, sent: 0, others: [] };
      },
      continue: async (request) => {
        record('continueHandover', request);
        return add(fakeTransfer({ id: `up${store.size + 1}`, team_id: '', paths: [...(request.paths ?? [])] }));
      },
    },
    sentPackages: {
      get: async (id) => sentPackage(found(id).package_id),
      setExpiry: async (id, body) => {
        record('setSentExpiry', { id, body });
        return sentPackage(found(id).package_id);
      },
      remove: async (id) => record('deleteSentPackage', { id: found(id).id }),
      addLink: async (id, body) => {
        record('addSentLink', { id, body });
        return sentPackage(found(id).package_id);
      },
      mailLink: async (id, linkId) => record('mailSentLink', { id: found(id).id, linkId }),
      endLink: async (id, linkId) => record('endSentLink', { id: found(id).id, linkId }),
    },
    settings: {
      current: () => settings,
      update: async (change) => {
        record('settings', change);
        settings = { ...settings, ...change };
        return settings;
      },
    },
    gateway: {
      list: () => [...mounts.values()],
      get: (id) => mountOf(id),
      create: async (request) => {
        signedIn();
        record('createMount', request);
        return addMount(fakeMount({ id: `m${mounts.size + 1}`, path: request.path, read_only: request.read_only ?? false }));
      },
      update: async (id, change) => {
        record('updateMount', { id, ...change });
        return addMount({ ...mountOf(id), ...change });
      },
      remove: async (id) => {
        record('removeMount', { id });
        mountOf(id);
        mounts.delete(id);
      },
      check: async (id) => {
        record('checkMount', { id });
        mountOf(id);
        return { ok: true, steps: [{ step: 'put', ok: true, message: '' }] };
      },
    },
    folders: {
      list: (query) => listFolder(query, settings.allowed_roots),
      places: (restricted) => listPlaces({ allowed: settings.allowed_roots, recent: [], restricted }),
      measure: async (paths, { signal }) => ({ ...(await measurePaths(paths, { signal })), seconds: null }),
      find: (entries, signal) => findDropped(entries, { allowed: settings.allowed_roots, signal }),
      check: (path) => void allowedPath(path, settings.allowed_roots),
      answer: async () => undefined,
    },
    // Automations have tests on the real engine.
    automations: { list: () => [] } as unknown as Engine['automations'],
    tokens: tokensInMemory(),
    rateLimits: {
      get: (direction) => rateLimits[direction],
      set: async (direction, limit) => {
        record('rateLimit', { direction, limit });
        rateLimits[direction] = limit;
        return limit;
      },
    },
    events: {
      async *subscribe(afterId, signal) {
        let next = afterId ?? events.length;
        while (!signal.aborted) {
          const event = events[next];
          if (event) {
            next += 1;
            yield event;
            continue;
          }
          const woken = Promise.withResolvers<void>();
          const wake = () => woken.resolve();
          subscribers.add(wake);
          signal.addEventListener('abort', wake, { once: true });
          await woken.promise;
          subscribers.delete(wake);
        }
      },
    },
    secretsWarnings: ['Secrets are in a vault file.'],
    status: () => ({
      version: '0.1.0',
      service_url: 'http://127.0.0.1:8080',
      signed_in: session !== null,
      started_at: '2026-11-20T10:00:00.000Z',
      transfers: { active: 1, queued: 0, failed: 0 },
      paused: null,
      unreachable: [],
      warnings: ['Secrets are in a vault file.'],
    }),
    supportBundle: async (more) => Readable.from([Buffer.from(JSON.stringify(more))]),
    close: async () => undefined,
  };
}

/** The real tokens, in a database that is never on a disk. */
export function tokensInMemory(clock: Clock = systemClock): Tokens {
  const db = new Database(':memory:');
  db.pragma('foreign_keys = ON');
  db.exec(tokenSql);
  const writer = {
    write: <T>(change: () => T) => change(),
    committed: async () => undefined,
    flush: () => undefined,
    onEnd: () => undefined,
  };
  return openTokens({ table: tokenTable(db), writer, clock });
}
