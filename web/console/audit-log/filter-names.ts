/** What the list is narrowed by; the names in the address and in the call are the same. */
export const filterNames = ['action', 'actor_id', 'target_id', 'from', 'to'] as const;
export type AuditFilters = Partial<Record<(typeof filterNames)[number], string>>;
