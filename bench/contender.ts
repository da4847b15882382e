/** What is measured: the same four workloads, by every program that is compared. */

export const workloads = ['big_up', 'big_down', 'small_up', 'small_down'] as const;
export type Workload = (typeof workloads)[number];
export const bigWorkloads = ['big_up', 'big_down'] as const satisfies readonly Workload[];
export const smallWorkloads = ['small_up', 'small_down'] as const satisfies readonly Workload[];

/** One run of one contender. */
export interface Sample {
  /** Wall-clock time: from a command's start to its end, or from a transfer's request to `complete`. */
  readonly seconds: number;
  /** User and system time of the client alone. */
  readonly cpuSeconds: number;
  /** The same for the server, with all its processes. */
  readonly serverCpuSeconds: number;
  /** The client's largest resident memory in bytes; of several processes, the largest one's. */
  readonly peakBytes: number;
}

export interface Run {
  /** From 1. Results of the first round are compared byte for byte, those of later rounds by number and size. */
  readonly round: number;
  /** An empty folder for downloads. */
  readonly into: string;
}

/** A client with the server it talks to. */
export interface Contender {
  readonly name: string;
  /** The server's name in the table. */
  readonly server: string;
  /** The workloads that it can do. */
  readonly works: Readonly<Partial<Record<Workload, (run: Run) => Promise<Sample>>>>;
  /** Number of rounds in which it takes part, from the first; without a number in all. For clients that would take most of an hour. */
  readonly mostRounds?: Readonly<Partial<Record<Workload, number>>>;
}

/** A contender that cannot be measured on this machine, and the reason. */
export interface MissingContender {
  readonly name: string;
  readonly server: string;
  readonly why: string;
}
