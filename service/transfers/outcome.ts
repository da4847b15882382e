import { printable } from '#protocol/printable.ts';
import { ProviderError } from '#providers/errors.ts';
import { StorageError } from '#storage/errors.ts';
import { DeliveryError, DestinationMovedError } from './delivery/errors.ts';
import { GatewayIncompleteError, GatewayTaskError } from './gateway-error.ts';
import { ImportError, PackageClosedError } from './import/errors.ts';

/** Seconds before each further attempt: about seven hours in all, unless there is progress in between. */
const backoffSeconds = [10, 30, 60, 180, 600, 1_200, 1_800, 3_600, 3_600, 3_600, 3_600, 3_600] as const;

export const maxFailures = backoffSeconds.length + 1;

export type Outcome =
  | { readonly kind: 'postponed'; readonly seconds: number; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * What a failed attempt leads to (contract/transfers.md §2): what may pass is tried again after a pause, up to `maxFailures`
 * times without progress; what somebody has to act on is an error at once. `failures` counts this one. Messages are for the
 * people of the Team.
 */
export function outcomeOf(error: unknown, failures: number): Outcome {
  const { passes, message: told, atLeast } = judge(error);
  const message = printable(told);
  const pause = passes ? backoffSeconds[failures - 1] : undefined;
  if (pause === undefined) return { kind: 'failed', message };
  return { kind: 'postponed', seconds: Math.max(pause, atLeast), message: `${message} It is tried again by itself.` };
}

interface Judgement {
  readonly passes: boolean;
  readonly message: string;
  /** Seconds that the provider asks to wait. */
  readonly atLeast: number;
}

function judge(error: unknown): Judgement {
  if (error instanceof ProviderError) {
    return { passes: error.retry === 'soon', message: error.message, atLeast: Math.min(3_600, Math.ceil(error.retryAfter / 1_000)) };
  }
  if (
    error instanceof DeliveryError ||
    error instanceof DestinationMovedError ||
    error instanceof ImportError ||
    error instanceof PackageClosedError ||
    error instanceof GatewayTaskError
  )
    return { passes: false, message: error.message, atLeast: 0 };
  if (error instanceof GatewayIncompleteError) return { passes: true, message: error.message, atLeast: 0 };
  if (error instanceof StorageError) {
    return { passes: error.retryable, message: `The storage of the service failed: ${error.message}`, atLeast: 0 };
  }
  return { passes: true, message: 'Something went wrong in the service. Its log says more.', atLeast: 0 };
}
