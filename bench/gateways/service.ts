import { newId } from '#service/ids.ts';
import { startService } from '#service/server.ts';
import { addTransfers } from '#service/transfers/create.ts';

/** A service in a process of its own, with Teams, gateways and a connection for each. It ends when its parent does. */

export interface Asked {
  readonly folder: string;
  readonly gateways: number;
}

export interface SeededGateway {
  readonly id: string;
  readonly token: string;
  readonly connectionId: string;
}

export interface Started {
  readonly url: string;
  readonly gateways: readonly SeededGateway[];
}

const gatewaysPerTeam = 100;
const boundless = Number.MAX_SAFE_INTEGER;

process.once('disconnect', () => process.exit());
process.once('message', (asked: Asked) => {
  start(asked).then(
    (started) => process.send!(started),
    (error: unknown) => process.send!({ error: error instanceof Error ? error.message : String(error) }),
  );
});

async function start({ folder, gateways: count }: Asked): Promise<Started> {
  const service = await startService({
    listen: { host: '127.0.0.1', port: 0 },
    dataDir: folder,
    owner: { email: 'owner@longshore.example', password: 'measured on loopback only', team: 'Bench' },
    logLevel: 'error',
    limits: { perCredential: boundless, perAddress: boundless },
  });
  process.once('SIGTERM', () => void service.close().then(() => process.exit()));
  const { db, tokens, seal, jobs, now } = service.services;
  const at = now();
  const times = { created_at: at, updated_at: at };
  const first = await db.selectFrom('teams').selectAll().executeTakeFirstOrThrow();
  const gateways: SeededGateway[] = [];
  let teamId = first.id;
  for (let n = 0; n < count; n++) {
    if (n > 0 && n % gatewaysPerTeam === 0) {
      teamId = newId();
      await db
        .insertInto('teams')
        .values({ ...first, id: teamId, name: `Team ${n}`, subdomain: `team-${n}` })
        .execute();
    }
    const [id, connectionId] = [newId(), newId()];
    const facts = { platform: 'linux', version: '0.1.0', created_by: null, created_at: at };
    await db
      .insertInto('storage_gateways')
      .values({ id, team_id: teamId, name: `Gateway ${n}`, ...facts })
      .execute();
    await db
      .insertInto('cloud_connections')
      .values({
        ...{ id: connectionId, team_id: teamId, created_by: null, name: 'NAS', ...times, deleted_at: null },
        ...{ provider: 'storage_gateway', direction: 'service_to_cloud', storage_gateway_id: id },
        sealed_authorization: seal.seal(`connection ${connectionId}`, '{}'),
      })
      .execute();
    gateways.push({ id, token: await tokens.sign('gateway', { gatewayId: id }), connectionId });
  }

  /** A package of one file for a connection, and its transfer. */
  async function addWork(connectionId: string): Promise<void> {
    const [packageId, fileId] = [newId(), newId()];
    const { team_id } = await db.selectFrom('cloud_connections').select('team_id').where('id', '=', connectionId).executeTakeFirstOrThrow();
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto('packages')
        .values({
          ...{ id: packageId, team_id, created_by: null, name: 'Dailies', description: '', recipients: [], state: 'finalized', ...times },
          ...{ size: 1, total_files: 1, unlimited_storage: false, access_limit: 0, chunk_size: 0, password_hash: null },
          ...{ teamspace_id: null, tag_id: null, sender: '', expiry: null },
        })
        .execute();
      await trx
        .insertInto('files')
        .values({
          ...{ id: fileId, package_id: packageId, place: Buffer.from(fileId), kind: 'file', path: '', name: 'a.mov', state: 'finalized' },
          ...{ size: 1, chunk_size: 1, created_at: at, last_modified: null },
        })
        .execute();
      await addTransfers(trx, { jobs, now }, [
        {
          ...{ id: newId(), package_id: packageId, cloud_connection_id: connectionId, sealed_authorization: null, filter_rules: null },
          ...{ direction: 'service_to_cloud', provider: 'storage_gateway', destination: Buffer.alloc(32), target_directory_id: '' },
          ...{ total_bytes: 1, total_files: 1, notify_email: '', notify_language: 'en' },
        },
      ]);
    });
  }
  process.on('message', ({ work }: { work?: string }) => {
    if (work !== undefined) void addWork(work).then(() => process.send!({ added: work }));
  });
  return { url: service.url, gateways };
}
