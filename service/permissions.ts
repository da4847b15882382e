import type { Role } from '#protocol/roles.ts';

/**
 * The permissions of each role in its Team (contract/conventions.md §10), defined only here. "own" is what the user
 * created; members and integration managers also see what is in their Teamspaces.
 */
const table = {
  'api_keys.create': ['owner', 'admin', 'integration_manager'],
  'api_keys.manage_own': ['owner', 'admin', 'integration_manager'],
  'api_keys.manage_all': ['owner'],
  'api_keys.list': ['owner'],
  'team.manage': ['owner', 'admin'],
  'sso.manage': ['owner'],
  'audit.read': ['owner', 'admin'],
  'members.read': ['owner', 'admin', 'integration_manager', 'member', 'guest'],
  'members.manage': ['owner', 'admin'],
  'owners.manage': ['owner'],
  'teamspaces.read': ['owner', 'admin', 'integration_manager', 'member', 'guest'],
  'teamspaces.see_all': ['owner', 'admin'],
  'teamspaces.manage': ['owner', 'admin'],
  'integrations.manage': ['owner', 'admin', 'integration_manager'],
  'tags.manage': ['owner', 'admin', 'integration_manager', 'member'],
  'packages.create': ['owner', 'admin', 'integration_manager', 'member'],
  'packages.read': ['owner', 'admin', 'integration_manager', 'member', 'guest'],
  'packages.manage_own': ['owner', 'admin', 'integration_manager', 'member'],
  'packages.see_all': ['owner', 'admin'],
  'packages.manage_all': ['owner', 'admin'],
  'packages.hold': ['owner', 'admin'],
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof table;
export const permissions: Readonly<Record<Permission, readonly Role[]>> = table;

export function may(role: Role, permission: Permission): boolean {
  return permissions[permission].includes(role);
}

/** Everything that a role may do, for pages that show only that. */
export const permissionsOf = (role: Role): Permission[] =>
  (Object.keys(table) as Permission[]).filter((permission) => may(role, permission));
