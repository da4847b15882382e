import { ServiceError } from './errors.ts';

/**
 * The id to show with a failure, so that whoever runs the service finds it in the log; empty where it is for the person to
 * act, as with a wrong password.
 */
export const traceIdToShow = (error: unknown): string =>
  error instanceof ServiceError && (error.answered >= 500 || error.error === 'service_refused' || error.error === 'state_conflict')
    ? error.traceId
    : '';
