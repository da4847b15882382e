/** Whom a test's service belongs to where the test doesn't say. */
export const ownerEmail = 'owner@example.com';
export const ownerPassword = 'correct horse battery staple';
export const usualOwner = { email: ownerEmail, password: ownerPassword, team: 'Harbour' } as const;
