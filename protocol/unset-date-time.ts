/** Represents an unset date-time (contract/conventions.md §2.2). Apart from the limits, which a visitor's page need not load for it. */
export const unsetDateTime = '0001-01-01T00:00:00.000Z';
