/**
 * `npm run soak [-- vitest's arguments]`: all tests as `npm test` runs them, where some go on for long: many seeds,
 * hundreds of kills, gigabytes. Seeds begin at another number each time; `LONGSHORE_SEED` gives the first.
 */
process.env['LONGSHORE_SOAK'] = '1';
await import('./run.ts');
