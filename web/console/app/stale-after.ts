import type { TeamChange, TeamTopic } from '#protocol/hosted/team-events.ts';

type Key = readonly unknown[];
/** Whether what stands under a key, without its first two parts, is stale after a change. */
type IsStale = (key: Key, change: TeamChange) => boolean;

const under =
  (...names: readonly string[]): IsStale =>
  ([name]) =>
    names.includes(name as string);

/** What belongs to the package of a change, by the names of its parts; all of it without any. */
const ofPackage =
  (...parts: readonly string[]): IsStale =>
  ([name, id, part], { package_id }) =>
    name === 'package' && (package_id === undefined || id === package_id) && (parts.length === 0 || parts.includes(part as string));

const any =
  (...all: readonly IsStale[]): IsStale =>
  (key, change) =>
    all.some((one) => one(key, change));

/** Connections, but for what lies in the storage behind them: only those who have it know when that changes. */
const ofConnections: IsStale = ([name, , part]) => name === 'connections' && part !== 'files';

/** Answers to a Portal's form come with its packages, and go with them. */
const ofAnswers: IsStale = ([name, , part]) => name === 'portals' && part === 'answers';

/** Which of the Team's data each kind of change makes stale: keys begin `['team', id, …]`. */
const table: Readonly<Record<TeamTopic, IsStale>> = {
  // Storage by day is read from all packages, and changes little by one of them.
  packages: any(under('packages', 'overview'), ofPackage(), ofAnswers),
  links: ofPackage('links'),
  downloads: any(under('overview'), ofPackage('downloads')),
  transfers: any(under('overview'), ofPackage('transfers')),
  portals: under('portals'),
  members: under('members'),
  teamspaces: under('teamspaces', 'spaces', 'packages', 'overview'),
  tags: under('tags'),
  connections: ofConnections,
  gateways: any(under('gateways'), ofConnections),
  filters: under('filters'),
  webhooks: under('webhooks'),
  deliveries: any(under('webhooks'), ofPackage('deliveries')),
  // A verification reads all of the log, and says of which moment it is.
  audit_log: ([name, part]) => name === 'audit-log' && part !== 'verification',
  team: under('settings', 'storage'),
  api_keys: under('api-keys'),
};

/** Beside a Team's data: who is signed in, with their Teams and what holds in them. */
const ofAccount: readonly TeamTopic[] = ['team', 'members'];

/** After a stream began, or messages were lost: what any of these changes would make stale. */
const everything: readonly TeamChange[] = (Object.keys(table) as TeamTopic[]).map((what) => ({ what }));

/** Which query keys of a Team changes make stale; `null`: anything may have changed. */
export function staleAfter(teamId: string, changes: readonly TeamChange[] | null): (key: Key) => boolean {
  const all = changes ?? everything;
  return ([scope, id, ...key]) =>
    scope === 'account'
      ? all.some(({ what }) => ofAccount.includes(what))
      : scope === 'team' && id === teamId && all.some((change) => table[change.what]?.(key, change) ?? false);
}
