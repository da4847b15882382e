import { performance } from 'node:perf_hooks';
import { ProviderError } from '../errors.ts';
import type { CloudProvider } from '../ports.ts';
import { aroundCalls, type CallName } from './around.ts';

export interface CallReport {
  readonly call: CallName;
  /** A path, a part's number; never a handle or an address. */
  readonly subject: string;
  readonly milliseconds: number;
  /** Our code, and the provider's own beside it: `full (QuotaExceeded 403)`; `cancelled`, `failed`. Absent after success. */
  readonly failure?: string;
}

/** Reports every call after its end. A report never holds a secret: of errors it takes codes alone. */
export function withLogging(
  provider: CloudProvider,
  report: (call: CallReport) => void,
  now: () => number = () => performance.now(),
): CloudProvider {
  return aroundCalls(provider, async ({ name, subject, signal, run }) => {
    const started = now();
    try {
      const answer = await run();
      report({ call: name, subject, milliseconds: now() - started });
      return answer;
    } catch (error) {
      const failure = signal.aborted ? 'cancelled' : failureOf(error);
      report({ call: name, subject, milliseconds: now() - started, failure });
      throw error;
    }
  });
}

function failureOf(error: unknown): string {
  if (!(error instanceof ProviderError)) return 'failed';
  return error.answered === '' ? error.code : `${error.code} (${error.answered})`;
}
