/** How far inside one item a look is, so that the next run goes on there: a large object takes several nights. */
export interface Inside {
  /** What an earlier run has kept, as JSON has it; whoever reads it sees whether it fits. `null`: nothing. */
  readonly kept: unknown;
  /** Called often. `progress` is called when it is written down, a few times a minute at most. */
  keep(progress: () => object): Promise<void>;
}
