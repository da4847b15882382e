/** Requests to one receiver at once, from one process; and where it is slow. */
const places = 8;
const placesOfSlow = 4;
/** One that takes longer is slow. So long a delivery waits here for its receiver's place; then it is put off. */
const patience = 1_000;
/** The longest that one is put off, since the receiver may have become fast. */
const longest = 10 * 60_000;
/** Receivers whose speed is remembered. */
const remembered = 1_000;

interface Receiver {
  /** Since when each request is under way: the oldest first. */
  readonly busy: Set<{ readonly since: number }>;
  readonly line: Set<() => void>;
  /** How long the last request took. */
  usual: number;
  /** Up to when its places are given to those that were put off. */
  promised: number;
}

/** A place at a receiver, to be left; or for how many milliseconds the delivery is put off. */
export type Turn = { readonly leave: () => void } | { readonly putOff: number };

/**
 * The places of receivers, in milliseconds of `clock`. Each has its own, so that one that is slow, or answers nobody, holds up
 * nobody else's deliveries: what is too much for it is put off, to when it will have come to it at the speed it has.
 */
export class Receivers {
  readonly #receivers = new Map<string, Receiver>();
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  async turn(id: string): Promise<Turn> {
    const receiver = this.#of(id);
    if (this.#isFree(receiver)) return this.#enter(id, receiver);
    if (this.#isSlow(receiver)) return this.#putOff(receiver);
    return await new Promise((resolve) => {
      const begin = () => {
        clearTimeout(timer);
        receiver.line.delete(begin);
        resolve(this.#enter(id, receiver));
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
      receiver = { busy: new Set(), line: new Set(), usual: 0, promised: 0 };
      this.#receivers.set(id, receiver);
    }
    return receiver;
  }

  #enter(id: string, receiver: Receiver): Turn {
    const request = { since: this.#clock() };
    receiver.busy.add(request);
    return {
      leave: () => {
        if (!receiver.busy.delete(request)) return;
        receiver.usual = this.#clock() - request.since;
        for (const begin of receiver.line) {
          if (!this.#isFree(receiver)) return;
          begin();
        }
        if (receiver.busy.size === 0) this.#forget(id, receiver);
      },
    };
  }

  /** Slow ones only as long as there are not too many: one that is not known is taken for fast. */
  #forget(id: string, receiver: Receiver): void {
    if (receiver.usual <= patience || this.#receivers.size > remembered) this.#receivers.delete(id);
  }

  #takes({ busy, usual }: Receiver): number {
    const [oldest] = busy;
    return Math.max(usual, oldest ? this.#clock() - oldest.since : 0);
  }

  #isSlow(receiver: Receiver): boolean {
    return this.#takes(receiver) > patience;
  }

  #isFree(receiver: Receiver): boolean {
    return receiver.busy.size < (this.#isSlow(receiver) ? placesOfSlow : places);
  }

  #putOff(receiver: Receiver): Turn {
    const now = this.#clock();
    receiver.promised = Math.min(Math.max(receiver.promised, now + patience) + this.#takes(receiver) / placesOfSlow, now + longest);
    return { putOff: receiver.promised - now };
  }
}
