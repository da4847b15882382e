/** What a member of a Team is: decisions, Accounts. */
export const roles = ['owner', 'admin', 'integration_manager', 'member', 'guest'] as const;
export type Role = (typeof roles)[number];
