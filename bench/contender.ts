/** What is measured: the same four pieces of work, by every program that is compared. */

export const workloads = ['big_up', 'big_down', 'small_up', 'small_down'] as const;
export type Workload = (typeof workloads)[number];
export const bigWorkloads = ['big_up', 'big_down'] as const satisfies readonly Workload[];

/** One run of one contender. */
export interface Sample {
  /** By the wall clock, from the wish to the result: a command's start to its end, a transfer's request to `complete`. */
  readonly seconds: number;
  /** User and system time of the client alone. */
  readonly cpuSeconds: number;
  /** The same of what answered it, with all its processes. */
  readonly serverCpuSeconds: number;
  /** The client's largest resident memory in bytes; of several processes, the largest one's. */
  readonly peakBytes: number;
}

export interface Run {
  /** From 1. The results of the first are compared byte for byte, of later ones by number and size. */
  readonly round: number;
  /** A fresh folder for what comes down. */
  readonly into: string;
}

/** A client with the server it talks to. */
export interface Contender {
  readonly name: string;
  /** Who answers, in the words of the table. */
  readonly server: string;
  /** What it does. */
  readonly works: Readonly<Partial<Record<Workload, (run: Run) => Promise<Sample>>>>;
  /** In how many rounds it does so, the first ones; without a number in all. For what would take most of an hour. */
  readonly mostRounds?: Readonly<Partial<Record<Workload, number>>>;
}

/** A contender that is not there to be measured, and why. */
export interface Absentee {
  readonly name: string;
  readonly server: string;
  readonly why: string;
}
