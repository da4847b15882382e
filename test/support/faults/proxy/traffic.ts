/** One chunk's PUT, by itself or with others in one request, or one range's GET that the server has answered with success, whether or not the client heard of it. */
export interface Passage {
  readonly method: string;
  /** PUT: the SHA-256 of the bytes that reached the server, since the same bytes under another name are sent twice as well. Else the path and the range. */
  readonly what: string;
  /** When it came and when it was answered, in the order of all that happened here. */
  readonly begun: number;
  readonly answered: number;
}

export interface Seen {
  readonly method: string;
  readonly path: string;
}

/** What has passed a proxy, and who waits for it to. */
export interface Traffic {
  readonly passages: Passage[];
  readonly requests: Seen[];
  /** Bytes of bodies so far, both ways. */
  bytes(): number;
  /** Bytes a second over all connections; 0 is unlimited. */
  rate: number;
  /** The place of something that happens now, in the order of all. */
  moment(): number;
  request(seen: Seen): void;
  /** Counts bytes of a body; the answer is how many milliseconds they have to wait. */
  body(count: number): number;
  /** Resolves when so many bytes have passed. */
  passed(bytes: number): Promise<void>;
  /** Resolves when the nth request that fits comes, from now on. */
  seen(fits: (request: Seen) => boolean, nth: number): Promise<void>;
}

export function createTraffic(): Traffic {
  const byteWaiters = new Set<{ readonly bytes: number; readonly go: () => void }>();
  const requestWaiters = new Set<{ readonly fits: (request: Seen) => boolean; left: number; readonly go: () => void }>();
  let moments = 0;
  let total = 0;
  let freeAt = 0;
  const traffic: Traffic = {
    passages: [],
    requests: [],
    bytes: () => total,
    rate: 0,
    moment: () => moments++,
    request(seen) {
      traffic.requests.push(seen);
      for (const waiter of requestWaiters) {
        if (!waiter.fits(seen) || --waiter.left > 0) continue;
        requestWaiters.delete(waiter);
        waiter.go();
      }
    },
    body(count) {
      total += count;
      for (const waiter of byteWaiters) {
        if (total < waiter.bytes) continue;
        byteWaiters.delete(waiter);
        waiter.go();
      }
      if (traffic.rate === 0) return 0;
      freeAt = Math.max(freeAt, performance.now()) + (count / traffic.rate) * 1_000;
      return freeAt - performance.now();
    },
    passed: (bytes) => (total >= bytes ? Promise.resolve() : new Promise<void>((resolve) => byteWaiters.add({ bytes, go: resolve }))),
    seen: (fits, nth) => new Promise<void>((resolve) => requestWaiters.add({ fits, left: nth, go: resolve })),
  };
  return traffic;
}

/** Passages that were begun although the same had been confirmed before. */
export function repeated(passages: readonly Passage[], method: string): string[] {
  const firstAnswer = new Map<string, number>();
  const of = passages.filter((passage) => passage.method === method);
  for (const { what, answered } of of) firstAnswer.set(what, Math.min(answered, firstAnswer.get(what) ?? answered));
  return of.filter(({ what, begun }) => firstAnswer.get(what)! < begun).map(({ what }) => what);
}
