/** Counts of the local API's calls since this agent started. */
export interface CallCounts {
  /** By HTTP status of the answer. */
  readonly byStatus: ReadonlyMap<number, number>;
  /** Refusals and failures by the name of the error. */
  readonly byError: ReadonlyMap<string, number>;
  streams: number;
}

export interface CallCounter extends CallCounts {
  answered(status: number): void;
  failed(error: string): void;
}

export function createCallCounter(): CallCounter {
  const byStatus = new Map<number, number>();
  const byError = new Map<string, number>();
  return {
    byStatus,
    byError,
    streams: 0,
    answered: (status) => void byStatus.set(status, (byStatus.get(status) ?? 0) + 1),
    failed: (error) => void byError.set(error, (byError.get(error) ?? 0) + 1),
  };
}
