/** How many requests of a process may be under way at once. */
export interface Places {
  /** To a receiver that answers within a second, and to one that takes longer. */
  readonly fast: number;
  readonly slow: number;
  /** To one that has answered nothing for five seconds, and to one of which nothing is known yet. */
  readonly silent: number;
  readonly unknown: number;
  /** To all that are slow or silent; and to these and the unknown ones. The others are left to those that are fast. */
  readonly allSlow: number;
  readonly allNotFast: number;
}

/** One that takes longer is slow. So long a delivery waits here for its receiver's place; then it is put off. */
const patience = 1_000;
const silence = 5_000;
/** The longest that one is put off, since the receiver may have become fast. */
const longest = 10 * 60_000;
/** The least between two that are put off. */
const shortest = 100;
/** Receivers whose speed is remembered. */
const remembered = 10_000;

interface Request {
  readonly since: number;
  /** Its receiver was slow, or unknown, when it began. */
  readonly kind: 'fast' | 'slow' | 'unknown';
}

interface Receiver {
  /** The oldest first. */
  readonly busy: Set<Request>;
  readonly line: Set<() => void>;
  /** How long the last request took; null: none has ended yet. */
  usual: number | null;
  /** Up to when its places are given to those that were put off. */
  promised: number;
}

/** A place at a receiver, to be left; or for how many milliseconds the delivery is put off. */
export type Turn = { readonly leave: () => void } | { readonly putOff: number };

/**
 * The places of receivers, in milliseconds of `clock`. Each has its own, so that one that is slow, or answers nobody, holds up
 * nobody else's deliveries: what is too much for it is put off, to when it will have come to it at the speed it has. Those that
 * are slow have no more than a part of all places together, so that however many they are, they do not hold up the fast ones.
 */
export class Receivers {
  readonly #receivers = new Map<string, Receiver>();
  /** To whichever receiver, the oldest first. */
  readonly #requests = new Set<Request>();
  readonly #places: Places;
  readonly #clock: () => number;

  constructor(places: Places, clock: () => number = () => performance.now()) {
    this.#places = places;
    this.#clock = clock;
  }

  async turn(id: string): Promise<Turn> {
    const receiver = this.#of(id);
    if (this.#isFree(receiver)) return this.#enter(receiver);
    if (this.#kindOf(receiver) === 'slow') return this.#putOff(receiver);
    return await new Promise((resolve) => {
      const begin = () => {
        clearTimeout(timer);
        receiver.line.delete(begin);
        resolve(this.#enter(receiver));
      };
      const timer = setTimeout(() => {
        receiver.line.delete(begin);
        resolve(this.#putOff(receiver));
      }, patience);
      receiver.line.add(begin);
    });
  }

  #of(id: string): Receiver {
    let receiver = this.#receivers.get(id);
    if (!receiver) {
      if (this.#receivers.size >= remembered) this.#forgetOne();
      receiver = { busy: new Set(), line: new Set(), usual: null, promised: 0 };
      this.#receivers.set(id, receiver);
    }
    return receiver;
  }

  #forgetOne(): void {
    for (const [id, { busy, line }] of this.#receivers) {
      if (busy.size > 0 || line.size > 0) continue;
      this.#receivers.delete(id);
      return;
    }
  }

  #enter(receiver: Receiver): Turn {
    const request = { since: this.#clock(), kind: this.#kindOf(receiver) };
    receiver.busy.add(request);
    this.#requests.add(request);
    return {
      leave: () => {
        if (!receiver.busy.delete(request)) return;
        this.#requests.delete(request);
        receiver.usual = this.#clock() - request.since;
        for (const begin of receiver.line) {
          if (!this.#isFree(receiver)) return;
          begin();
        }
      },
    };
  }

  #takes({ busy, usual }: Receiver): number {
    const [oldest] = busy;
    return Math.max(usual ?? 0, oldest ? this.#clock() - oldest.since : 0);
  }

  #kindOf(receiver: Receiver): Request['kind'] {
    if (this.#takes(receiver) > patience) return 'slow';
    return receiver.usual === null ? 'unknown' : 'fast';
  }

  #placesOf(receiver: Receiver): number {
    const kind = this.#kindOf(receiver);
    return this.#places[kind === 'slow' && this.#takes(receiver) > silence ? 'silent' : kind];
  }

  #isFree(receiver: Receiver): boolean {
    if (receiver.busy.size >= this.#placesOf(receiver)) return false;
    const kind = this.#kindOf(receiver);
    if (kind === 'fast') return true;
    const { slow, unknown } = this.#underWay();
    return kind === 'slow' ? slow < this.#places.allSlow : slow + unknown < this.#places.allNotFast;
  }

  /** Those that take long are slow, whatever their receivers were. */
  #underWay() {
    const now = this.#clock();
    const count = { fast: 0, slow: 0, unknown: 0 };
    for (const { since, kind } of this.#requests) count[now - since > patience ? 'slow' : kind] += 1;
    return count;
  }

  #putOff(receiver: Receiver): Turn {
    const now = this.#clock();
    const each = Math.max(this.#takes(receiver), shortest) / this.#placesOf(receiver);
    receiver.promised = Math.min(Math.max(receiver.promised, now + patience) + each, now + longest);
    return { putOff: receiver.promised - now };
  }
}
