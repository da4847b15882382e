import { basename, isAbsolute, join } from 'node:path';
import { v7 as uuid } from 'uuid';
import type { FileSystem } from '#filesystem/port.ts';
import type { CreateMount, Mount, MountCheck, UpdateMount } from '#protocol/agent/mounts.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { wordsOf } from '../errors.ts';
import { isInside } from '../folders/roots.ts';
import type { RateLimits as Limits } from '../limits/rate-limits.ts';
import type { Clock, Log } from '../ports.ts';
import type { SecretStore } from '../secrets/ports.ts';
import type { TeamAtService } from '../session/as-session.ts';
import type { Session } from '../session/session.ts';
import type { Writer } from '../state/writer.ts';
import type { Marked, RateLimits } from './mount-process/messages.ts';
import type { MountChild } from './mount-process/mount-child.ts';
import { type MountProcess, startMountProcess } from './mount-process/start-process.ts';
import type { GatewayRow, MountRow, MountsTable } from './mounts-table.ts';
import { connectionFor, isRegistered, registerGateway } from './register.ts';
import { type RunningGateway, startGateway } from './running-gateway.ts';

export interface GatewayPorts {
  readonly dataDir: string;
  readonly version: string;
  readonly table: MountsTable;
  readonly writer: Writer;
  readonly secrets: SecretStore;
  readonly session: Session;
  readonly limits: Pick<Limits, 'get'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly fileSystem: FileSystem;
  /** Starts the process of a mount; as a child of Node, unless given. */
  readonly startMountChild?: (() => MountChild) | undefined;
  /** Whether mounts are served now; otherwise they only stand in the state file. */
  readonly serves: boolean;
  /** Folders that others work on, with words for a person: 'the automation "Cart"'. */
  readonly otherFolders: () => readonly { readonly path: string; readonly what: string }[];
  readonly emit: (event: { type: 'mount.changed'; mount: Mount } | { type: 'mount.removed'; mount_id: string }) => void;
}

/** The storage gateway: mounts of this machine that services reach through the agent (contract/gateways.md §2). */
export interface Gateway {
  list(): Mount[];
  /** `not_found`. */
  get(id: string): Mount;
  /** `session_is_nil`, `not_found`, `already_exists`, `folders_overlap`, `mount_unusable`, errors of paths and of the service. */
  create(request: CreateMount): Promise<Mount>;
  update(id: string, change: UpdateMount): Promise<Mount>;
  remove(id: string): Promise<void>;
  check(id: string): Promise<MountCheck>;
}

export interface OpenGateway extends Gateway {
  /** Speed limits have changed: the mounts follow. */
  limitsChanged(): void;
  close(): Promise<void>;
}

interface RunningMount {
  row: MountRow;
  process: MountProcess;
}

const tokenName = (gatewayId: string): string => `gateway-${gatewayId}`;

export function openGateway(ports: GatewayPorts): OpenGateway {
  const { table, writer, secrets, session, clock, log, emit } = ports;
  const gateways = new Map<string, { readonly row: GatewayRow; running: RunningGateway | null }>();
  const mounts = new Map<string, RunningMount>();
  let closed = false;

  const rateLimits = (): RateLimits => ({ upload: ports.limits.get('upload'), download: ports.limits.get('download') });

  const gatewayOf = (row: Pick<MountRow, 'gateway_id'>) => gateways.get(row.gateway_id)!;

  const view = ({ row, process }: RunningMount): Mount => {
    const { state } = process;
    return {
      id: row.id,
      name: row.name,
      team_id: gatewayOf(row).row.team_id,
      gateway_id: row.gateway_id,
      cloud_connection_id: row.cloud_connection_id,
      path: row.path,
      read_only: row.read_only === 1,
      state: offlineReason(row, process) === null ? 'ok' : 'offline',
      reason: offlineReason(row, process) ?? '',
      free_bytes: state?.state === 'ok' ? state.freeBytes : null,
      tasks: gatewayOf(row).running?.tasksOf(row.id) ?? 0,
      created_at: new Date(row.created_at).toISOString(),
      updated_at: new Date(row.updated_at).toISOString(),
    };
  };

  const offlineReason = (row: MountRow, { state }: MountProcess): string | null => {
    const refused = gatewayOf(row).running?.refused() ?? null;
    if (refused !== null) return `The service does not know this gateway any more: ${refused} Remove the mount, and add it again.`;
    if (state === null) return 'The folder is being looked at.';
    return state.state === 'offline' ? state.reason : null;
  };

  const changed = (id: string): void => {
    const mount = mounts.get(id);
    if (mount && !closed) emit({ type: 'mount.changed', mount: view(mount) });
  };

  /** With `trial`, of a folder that is not the mount's yet: it has no transfers. */
  const processOf = (row: Pick<MountRow, 'id' | 'path' | 'read_only' | 'marked' | 'gateway_id'>, trial = false): MountProcess =>
    startMountProcess(
      {
        mountId: row.id,
        root: row.path,
        readOnly: row.read_only === 1,
        marked: row.marked === 1,
        dataDir: join(ports.dataDir, 'gateway', trial ? `${row.id}-trial` : row.id),
        serviceUrl: gateways.get(row.gateway_id)?.row.service_url ?? 'http://127.0.0.1',
        version: ports.version,
        rateLimits: rateLimits(),
      },
      {
        clock,
        random: ports.random,
        log,
        changed() {
          if (trial) return;
          changed(row.id);
          gateways.get(row.gateway_id)?.running?.poke();
        },
        reported: (report) => gateways.get(row.gateway_id)?.running?.reported(report),
        tokenRefused: (transferId) => gateways.get(row.gateway_id)?.running?.tokenRefused(transferId, row.id),
        unfinished: (ids) => gateways.get(row.gateway_id)?.running?.unfinished(ids, row.id),
        startChild: ports.startMountChild,
        works: () => (trial ? [] : (gateways.get(row.gateway_id)?.running?.worksOf(row.id) ?? [])),
      },
    );

  /** Polls for a gateway as long as it has mounts. */
  const runGateway = async (id: string): Promise<void> => {
    const gateway = gateways.get(id);
    if (!gateway || gateway.running || closed) return;
    const token = await secrets.get(tokenName(id));
    if (token === null) {
      log.warn({ gateway: id }, 'the token of a storage gateway is not in the vault any more');
      return;
    }
    if (gateway.running || closed) return;
    gateway.running = startGateway({
      gatewayId: id,
      serviceUrl: gateway.row.service_url,
      token,
      clock,
      random: ports.random,
      log,
      mounts: () => [...mounts.values()].filter(({ row }) => row.gateway_id === id),
      changed,
    });
  };

  const stopGatewayWithoutMounts = async (id: string): Promise<void> => {
    const gateway = gateways.get(id);
    if (!gateway?.running || [...mounts.values()].some(({ row }) => row.gateway_id === id)) return;
    const { running } = gateway;
    gateway.running = null;
    await running.close();
  };

  const checkAbsolute = (path: string): void => {
    if (!isAbsolute(path)) throw new AgentError('path_not_absolute', { path });
  };

  /** The real path is the folder's own process's to say: a folder that hangs must not hold up the agent. */
  const refuseOverlap = (path: string, real: string, ownId: string): void => {
    const others = [
      ...[...mounts.values()]
        .filter(({ row }) => row.id !== ownId)
        .map(({ row }) => ({ path: row.real_path, what: `the mount ${row.name}` })),
      ...ports.otherFolders(),
    ];
    const other = others.find((one) => isInside(one.path, [real]) || isInside(real, [one.path]));
    if (other) throw new AgentError('folders_overlap', { folder: path, other: other.path, detail: other.what });
  };

  const marked = async (process: MountProcess, path: string): Promise<Marked> => {
    try {
      return await process.ask('mark', {});
    } catch (cause) {
      throw new AgentError('mount_unusable', { path, detail: wordsOf(cause) }, { cause });
    }
  };

  const found = (id: string): RunningMount => {
    const mount = mounts.get(id);
    if (!mount) throw new ApiError('not_found', { resource: 'mount' });
    return mount;
  };

  const gatewayFor = async (team: TeamAtService): Promise<GatewayRow> => {
    const known = [...gateways.values()].find(({ row }) => row.service_url === team.serviceUrl && row.team_id === team.teamId);
    if (known && (await isRegistered(session, team, known.row.id))) return known.row;
    if (known && [...mounts.values()].some(({ row }) => row.gateway_id === known.row.id)) {
      throw new AgentError('already_exists', {
        detail: 'The service does not know this gateway any more. Remove its mounts, and add them again.',
      });
    }
    const { id, token } = await registerGateway(session, team, ports.version);
    const row: GatewayRow = { id, service_url: team.serviceUrl, team_id: team.teamId, created_at: clock.now() };
    await secrets.set(tokenName(id), token);
    writer.write(() => {
      if (known) table.removeGateway(known.row.id);
      table.addGateway(row);
    });
    await writer.committed();
    if (known) {
      gateways.delete(known.row.id);
      await known.running?.close();
      await secrets.delete(tokenName(known.row.id));
    }
    gateways.set(id, { row, running: null });
    return row;
  };

  /** One after the other: two requests for one folder must not both find it free. */
  let changing: Promise<unknown> = Promise.resolve();
  const exclusive = <T>(work: () => Promise<T>): Promise<T> => {
    const next = changing.then(work, work);
    changing = next.catch(() => undefined);
    return next;
  };

  if (ports.serves) {
    for (const row of table.gateways()) gateways.set(row.id, { row, running: null });
    for (const row of table.mounts()) mounts.set(row.id, { row, process: processOf(row) });
    for (const id of new Set([...mounts.values()].map(({ row }) => row.gateway_id))) {
      void runGateway(id).catch((cause: unknown) => log.warn({ gateway: id, error: wordsOf(cause) }, 'a storage gateway could not start'));
    }
  }

  return {
    list: () => [...mounts.values()].map(view),
    get: (id) => view(found(id)),
    create: (request) =>
      exclusive(async () => {
        checkAbsolute(request.path);
        const sending = await session.findFor(request.team_id);
        const team: TeamAtService = { serviceUrl: sending.serviceUrl, teamId: request.team_id, sessionId: sending.id };
        if ([...mounts.values()].some(({ row }) => row.cloud_connection_id === request.cloud_connection_id)) {
          throw new AgentError('already_exists', { detail: 'This connection has a mount already. Remove it, or change its folder.' });
        }
        const id = uuid();
        const first = { id, path: request.path, read_only: request.read_only ? 1 : 0, marked: 1, gateway_id: '' };
        const trial = processOf(first, true);
        let mark: Marked | null = null;
        try {
          mark = await marked(trial, request.path);
          refuseOverlap(request.path, mark.real, id);
          const gateway = await gatewayFor(team);
          const name = request.name ?? (basename(request.path) || 'Mount');
          const connection = await connectionFor(session, team, gateway.id, { ...request, name });
          const now = clock.now();
          const row: MountRow = {
            ...first,
            gateway_id: gateway.id,
            cloud_connection_id: connection.id,
            name: connection.name,
            real_path: mark.real,
            marked: mark.marked ? 1 : 0,
            created_at: now,
            updated_at: now,
          };
          writer.write(() => table.addMount(row));
          await writer.committed();
          await trial.close();
          mounts.set(id, { row, process: processOf(row) });
          await runGateway(gateway.id);
          gatewayOf(row).running?.poke();
          changed(id);
          return view(found(id));
        } catch (cause) {
          if (mark?.marked) await trial.ask('unmark', {}).catch(() => undefined);
          await trial.close();
          throw cause;
        }
      }),
    update: (id, change) =>
      exclusive(async () => {
        const mount = found(id);
        const path = change.path ?? mount.row.path;
        checkAbsolute(path);
        const read_only = (change.read_only ?? mount.row.read_only === 1) ? 1 : 0;
        const trial = processOf({ ...mount.row, path, read_only }, true);
        let mark: Marked;
        try {
          mark = await marked(trial, path);
          try {
            refuseOverlap(path, mark.real, id);
          } catch (cause) {
            if (mark.marked && mark.real !== mount.row.real_path) await trial.ask('unmark', {}).catch(() => undefined);
            throw cause;
          }
        } finally {
          await trial.close();
        }
        const row: MountRow = { ...mount.row, path, read_only, real_path: mark.real, marked: mark.marked ? 1 : 0, updated_at: clock.now() };
        writer.write(() => table.updateMount(row));
        await writer.committed();
        if (mark.real !== mount.row.real_path) await mount.process.ask('unmark', {}).catch(() => undefined);
        await mount.process.close();
        mounts.set(id, { row, process: processOf(row) });
        gatewayOf(row).running?.poke();
        changed(id);
        return view(found(id));
      }),
    remove: (id) =>
      exclusive(async () => {
        const { row, process } = found(id);
        writer.write(() => table.removeMount(id));
        await writer.committed();
        mounts.delete(id);
        const { running } = gatewayOf(row);
        for (const { transferId } of running?.worksOf(id) ?? []) await process.ask('cancel', { transferId }).catch(() => undefined);
        running?.dropMount(id);
        running?.poke();
        if (row.marked) await process.ask('unmark', {}).catch(() => undefined);
        await process.close();
        await ports.fileSystem.removeTree(join(ports.dataDir, 'gateway', id));
        emit({ type: 'mount.removed', mount_id: id });
        await stopGatewayWithoutMounts(row.gateway_id);
      }),
    async check(id) {
      const { row, process } = found(id);
      try {
        const steps = await process.ask('check', { folders: [''], write: row.read_only === 0 });
        return { ok: steps.every(({ ok }) => ok), steps };
      } catch (cause) {
        return { ok: false, steps: [{ step: 'list', ok: false, message: wordsOf(cause) }] };
      }
    },
    limitsChanged() {
      for (const { process } of mounts.values()) process.limit(rateLimits());
    },
    async close() {
      closed = true;
      await Promise.all([...gateways.values()].map(({ running }) => running?.close()));
      await Promise.all([...mounts.values()].map(({ process }) => process.close()));
      await changing;
    },
  };
}
