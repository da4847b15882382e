/** How many transfers are under way at once. Set by the operator. */
export interface TransferLimits {
  /** In this process; 0: it leaves them to others. */
  readonly perNode: number;
  /** Of one connection, in all processes. */
  readonly perConnection: number;
}

/** Who works on transfers in this process (runner.ts). */
export interface TransferQueue {
  /** A transfer may be due. */
  wake(): void;
  /** Of one connection, in all processes. */
  readonly perConnection: number;
  /** A transfer came to its end in this process, by somebody else than the runner. */
  countEnd(event: 'complete' | 'error'): void;
  /** So many bytes more have arrived. */
  countBytes(bytes: number): void;
}
