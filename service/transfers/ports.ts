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
}
