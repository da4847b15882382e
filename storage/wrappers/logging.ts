import { performance } from 'node:perf_hooks';
import type { ObjectStorage } from '../ports.ts';
import { type CallName, interceptCalls } from './intercept.ts';

export interface CallReport {
  readonly call: CallName;
  readonly key: string;
  readonly milliseconds: number;
  /** Absent where the call succeeded. */
  readonly error?: unknown;
}

/** Reports every call after it has ended. Keys consist of ids, so no report contains a secret. */
export function withLogging(
  storage: ObjectStorage,
  report: (call: CallReport) => void,
  now: () => number = () => performance.now(),
): ObjectStorage {
  return interceptCalls(storage, async (name, key, call) => {
    const started = now();
    try {
      const answer = await call();
      report({ call: name, key, milliseconds: now() - started });
      return answer;
    } catch (error) {
      report({ call: name, key, milliseconds: now() - started, error });
      throw error;
    }
  });
}
