/** Which request meets the fault: the `nth` (1 unless said) of those that fit, counted from when it was planned. */
export interface RequestMatch {
  readonly method?: string;
  /** Of the path alone; what follows a `?` is not looked at. */
  readonly path?: RegExp;
  readonly nth?: number;
}

/** A byte of a message, as the share (0 to 1) of its head or body that has passed before. 0 of the head: nothing has. */
export interface BytePosition {
  readonly of: 'request' | 'response';
  readonly part: 'head' | 'body';
  readonly share: number;
}

export interface CannedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What happens there. */
export type Deed =
  /** Both connections are reset. */
  | 'cut'
  /** Both connections are ended in order, too early. */
  | 'truncate'
  /** Nothing moves any more, until the client gives up; that it does is checked, too. */
  | 'stall'
  /** One byte of the body arrives as another. */
  | 'corrupt'
  /** The whole request reaches the server twice; the client gets the second answer. */
  | 'duplicate'
  /** All waits for so many milliseconds. */
  | { readonly delay: number }
  /** All waits until the test says that it may go on. */
  | { readonly until: Promise<unknown> }
  /** Somebody in between answers. At the response: after the server has done what was asked, and in place of its answer. */
  | { readonly answer: CannedAnswer };

export interface Fault {
  readonly on: RequestMatch;
  /** At the very beginning of the request unless said. */
  readonly at?: BytePosition;
  readonly do: Deed;
  /** To each request that fits from the `nth` on, and at least once. */
  readonly always?: true;
}

export const beginning: BytePosition = { of: 'request', part: 'head', share: 0 };

/** The byte of a part of `length` bytes at which a fault strikes. */
export function byteAt({ share }: BytePosition, length: number): number {
  return Math.min(length, Math.floor(share * length));
}

export function describeFault({ on, at = beginning, do: deed }: Fault): string {
  const what = describeDeed(deed);
  const who = [on.method ?? 'any', on.path?.source ?? 'request', `#${on.nth ?? 1}`].join(' ');
  return `${what} at ${at.share.toFixed(3)} of the ${at.of}'s ${at.part}, ${who}`;
}

function describeDeed(deed: Deed): string {
  if (typeof deed === 'string') return deed;
  if ('delay' in deed) return `delay of ${deed.delay} ms`;
  return 'until' in deed ? 'gate' : `answer ${deed.answer.status}`;
}

/** Faults that are to happen, each once unless said. */
export interface Plan {
  add(faults: readonly Fault[]): void;
  /** The fault that this request meets, if any; a second one that is due waits for the next that fits. */
  take(request: { readonly method: string; readonly path: string }): Fault | null;
  fired(fault: Fault): void;
  /** The request ended before its fault could happen: the next that fits meets it. */
  missed(fault: Fault): void;
  /** Those that have not happened; forgets all of them. */
  end(): string[];
}

export function createPlan(): Plan {
  let planned: { readonly fault: Fault; seen: number; state: 'waits' | 'taken' | 'fired' }[] = [];
  return {
    add(faults) {
      planned.push(...faults.map((fault) => ({ fault, seen: 0, state: 'waits' as const })));
    },
    take({ method, path }) {
      let taken: Fault | null = null;
      for (const entry of planned) {
        const { on } = entry.fault;
        if ((entry.state !== 'waits' && !entry.fault.always) || (on.method ?? method) !== method || on.path?.test(path) === false) continue;
        entry.seen++;
        if (taken || entry.seen < (on.nth ?? 1)) continue;
        if (entry.state === 'waits') entry.state = 'taken';
        taken = entry.fault;
      }
      return taken;
    },
    fired(fault) {
      for (const entry of planned) if (entry.fault === fault) entry.state = 'fired';
    },
    missed(fault) {
      for (const entry of planned) if (entry.fault === fault && entry.state === 'taken') entry.state = 'waits';
    },
    end() {
      const left = planned.filter(({ state }) => state !== 'fired');
      planned = [];
      return left.map(({ fault, seen }) => `${describeFault(fault)} (${seen} requests fitted)`);
    },
  };
}
