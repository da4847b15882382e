import { HealthError } from '#protocol/errors.ts';
import type { HealthCheck } from '../health.ts';

/** For how long before a certificate's end its operator is warned. */
export const soonDays = 14;
const dayMilliseconds = 86_400_000;

/** Warns at `/healthz` before the certificate ends that is served. */
export const certificateEndCheck =
  (end: () => Date, now: () => Date): HealthCheck =>
  async () =>
    end().getTime() - now().getTime() < soonDays * dayMilliseconds
      ? new HealthError('certificate_ends', { date: end().toISOString().slice(0, 10) })
      : null;
