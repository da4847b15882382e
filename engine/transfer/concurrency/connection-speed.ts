/**
 * Facts for the speed of one connection, which decides the chunk size: as last measured with this service, by this or
 * an earlier transfer, and never more than its share of a speed limit.
 */
interface SpeedFacts {
  /** Measured speed of one connection; `null` if none yet. */
  readonly seen: number | null;
  /** What all connections of the transfer may move together; 0 = no limit. */
  readonly allowed: number;
  /** How many connections there are. */
  readonly connections: number;
}

/** Bytes a second; `null` if unknown. */
export function connectionSpeedOf({ seen, allowed, connections }: SpeedFacts): number | null {
  const share = allowed === 0 ? null : allowed / connections;
  if (seen === null || share === null) return seen ?? share;
  return Math.min(seen, share);
}

/** The last measured speed for each service, for later transfers. In memory only, because connections change. */
export interface ConnectionSpeeds {
  of(service: string): number | null;
  saw(service: string, bytesPerSecond: number): void;
}

const mostServices = 64;

export function createConnectionSpeeds(): ConnectionSpeeds {
  const seen = new Map<string, number>();
  return {
    of: (service) => seen.get(service) ?? null,
    saw(service, bytesPerSecond) {
      seen.delete(service);
      seen.set(service, bytesPerSecond);
      const [oldest] = seen.keys();
      if (seen.size > mostServices && oldest !== undefined) seen.delete(oldest);
    },
  };
}
