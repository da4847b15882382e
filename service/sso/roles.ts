import { type SsoGroupRole, type SsoRole, ssoRoles } from '#protocol/hosted/sso.ts';
import type { Role } from '#protocol/roles.ts';

export interface RoleRules {
  readonly groupRoles: readonly SsoGroupRole[];
  /** Null: none. */
  readonly defaultRole: SsoRole | null;
}

interface Arrival {
  /** In the Team now; null for no member. */
  readonly present: Role | null;
  readonly groups: readonly string[];
  /** Of an open invitation that does not make an owner. */
  readonly invited: SsoRole | null;
  /** Was removed from the Team, or has left it. */
  readonly former: boolean;
}

/** Why somebody is not let in. */
export type NotAdmitted = 'groups' | 'removed' | 'no_role';

/** The highest role that groups give; null for none. */
export function roleOfGroups({ groupRoles }: Pick<RoleRules, 'groupRoles'>, groups: readonly string[]): SsoRole | null {
  const given = new Set(groupRoles.filter(({ group }) => groups.includes(group)).map(({ role }) => role));
  return ssoRoles.find((role) => given.has(role)) ?? null;
}

/**
 * The role with which somebody arrives (contract/sso.md §5). Owners stay owners, and nobody becomes one. Where groups give
 * roles they decide anew at each sign-in, so that what a company takes away is gone here, too; else members keep what they
 * have. Who was removed from the Team comes back by a group or an invitation, never by the default role.
 */
export function admittedRole(rules: RoleRules, { present, groups, invited, former }: Arrival): Role | { readonly refused: NotAdmitted } {
  if (present === 'owner') return present;
  const byGroup = roleOfGroups(rules, groups);
  if (byGroup !== null) return byGroup;
  if (present !== null) {
    if (rules.groupRoles.length === 0) return present;
    return rules.defaultRole ?? { refused: 'groups' };
  }
  if (invited !== null) return invited;
  if (former) return { refused: 'removed' };
  return rules.defaultRole ?? { refused: rules.groupRoles.length > 0 ? 'groups' : 'no_role' };
}
