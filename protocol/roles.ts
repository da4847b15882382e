/** Roles of a Team's members: contract/conventions.md §10. */
export const roles = ['owner', 'admin', 'integration_manager', 'member', 'guest'] as const;
export type Role = (typeof roles)[number];
