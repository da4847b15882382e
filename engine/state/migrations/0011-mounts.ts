/** Storage gateways that this agent is, one a Team, and their mounts. Tokens stand in the vault. Times in milliseconds since 1970. */
export const version = 11;

export const sql = `
  CREATE TABLE gateways (
    id TEXT PRIMARY KEY,
    service_url TEXT NOT NULL,
    team_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (service_url, team_id)
  ) STRICT;

  CREATE TABLE mounts (
    id TEXT PRIMARY KEY,
    gateway_id TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
    cloud_connection_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    -- As the person chose it, and where it really was then.
    path TEXT NOT NULL,
    real_path TEXT NOT NULL,
    read_only INTEGER NOT NULL,
    -- Its root has the marker file.
    marked INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
`;
