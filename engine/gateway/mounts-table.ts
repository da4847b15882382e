import type Database from 'better-sqlite3';

export interface GatewayRow {
  readonly id: string;
  readonly service_url: string;
  readonly team_id: string;
  readonly created_at: number;
}

export interface MountRow {
  readonly id: string;
  readonly gateway_id: string;
  readonly cloud_connection_id: string;
  readonly name: string;
  readonly path: string;
  readonly real_path: string;
  readonly read_only: number;
  readonly marked: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The tables of gateways and mounts. Changes go through the state's writer. */
export interface MountsTable {
  gateways(): GatewayRow[];
  addGateway(row: GatewayRow): void;
  removeGateway(id: string): void;
  mounts(): MountRow[];
  addMount(row: MountRow): void;
  updateMount(row: MountRow): void;
  removeMount(id: string): void;
}

export function mountsTable(db: Database.Database): MountsTable {
  const gateways = db.prepare<[], GatewayRow>('SELECT * FROM gateways ORDER BY created_at, id');
  const addGateway = db.prepare(
    'INSERT INTO gateways (id, service_url, team_id, created_at) VALUES (@id, @service_url, @team_id, @created_at)',
  );
  const removeGateway = db.prepare('DELETE FROM gateways WHERE id = ?');
  const mounts = db.prepare<[], MountRow>('SELECT * FROM mounts ORDER BY created_at, id');
  const addMount = db.prepare(`
    INSERT INTO mounts (id, gateway_id, cloud_connection_id, name, path, real_path, read_only, marked, created_at, updated_at)
    VALUES (@id, @gateway_id, @cloud_connection_id, @name, @path, @real_path, @read_only, @marked, @created_at, @updated_at)`);
  const updateMount = db.prepare(`
    UPDATE mounts SET name = @name, path = @path, real_path = @real_path, read_only = @read_only, marked = @marked, updated_at = @updated_at
    WHERE id = @id`);
  const removeMount = db.prepare('DELETE FROM mounts WHERE id = ?');
  return {
    gateways: () => gateways.all(),
    addGateway: (row) => void addGateway.run(row),
    removeGateway: (id) => void removeGateway.run(id),
    mounts: () => mounts.all(),
    addMount: (row) => void addMount.run(row),
    updateMount: ({ id, name, path, real_path, read_only, marked, updated_at }) =>
      void updateMount.run({ id, name, path, real_path, read_only, marked, updated_at }),
    removeMount: (id) => void removeMount.run(id),
  };
}
