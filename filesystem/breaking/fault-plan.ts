import { sep } from 'node:path';
import { systemError } from '../system-error.ts';

/** The calls of the port: a synchronous form counts as the same call as its promise. */
export type Call =
  | 'open'
  | 'stat'
  | 'lstat'
  | 'access'
  | 'realPath'
  | 'readLink'
  | 'list'
  | 'openDirectory'
  | 'readDirectory'
  | 'mkdir'
  | 'rename'
  | 'link'
  | 'unlink'
  | 'rmdir'
  | 'remove'
  | 'removeTree'
  | 'space'
  | 'identity'
  | 'read'
  | 'write'
  | 'truncate'
  | 'setTimes'
  | 'flush'
  | 'close';

/** Which calls a fault meets, and what becomes of them. */
export interface Fault {
  /** By default every call. */
  readonly call?: Call | readonly Call[];
  /** A path with all below it, or a pattern; by default every path. */
  readonly path?: string | RegExp;
  /** So many of these calls go through before; by default none. */
  readonly after?: number;
  /** How many of them it meets; by default one. */
  readonly times?: number;
  /**
   * `code`: fails so. `milliseconds`: the given clock passes so long before. `until`: waits for it, which only calls
   * with a promise can.
   */
  readonly effect: { readonly code: string } | { readonly milliseconds: number } | { readonly until: Promise<void> };
}

export interface PlannedFault {
  /** Calls that it has met. */
  readonly met: number;
  /** Resolves when it meets its first call. */
  readonly reached: Promise<void>;
  /** Ends it: later calls go through. */
  lift(): void;
}

/** A clock whose time passes while a slow disk works. */
export interface PassingClock {
  pass(milliseconds: number): void | Promise<void>;
}

interface Entry extends Fault {
  seen: number;
  met: number;
  lifted: boolean;
  readonly reach: () => void;
}

/** Faults by call, path and count: the same calls always meet the same faults. */
export class FaultPlan {
  readonly #clock: PassingClock;
  readonly #entries: Entry[] = [];
  #calls = 0;

  constructor(clock: PassingClock) {
    this.#clock = clock;
  }

  /** All calls so far. */
  get calls(): number {
    return this.#calls;
  }

  /** Faults that met no call: a test whose fault never came has tested nothing. */
  get unmet(): readonly Fault[] {
    return this.#entries.filter((entry) => entry.met === 0);
  }

  add(fault: Fault): PlannedFault {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const entry: Entry = { ...fault, seen: 0, met: 0, lifted: false, reach };
    this.#entries.push(entry);
    return {
      reached,
      get met() {
        return entry.met;
      },
      lift() {
        entry.lifted = true;
      },
    };
  }

  /** Throws what is planned for a synchronous call. */
  meetNow(call: Call, path: string): void {
    for (const { effect } of this.#meeting(call, path)) {
      if ('code' in effect) throw systemError(effect.code, call, path);
      if ('until' in effect) throw new Error(`The synchronous ${call} of ${path} cannot wait.`);
      void this.#clock.pass(effect.milliseconds);
    }
  }

  /** Rejects with what is planned for a call with a promise. */
  async meet(call: Call, path: string): Promise<void> {
    for (const { effect } of this.#meeting(call, path)) {
      if ('code' in effect) throw systemError(effect.code, call, path);
      if ('until' in effect) await effect.until;
      else await this.#clock.pass(effect.milliseconds);
    }
  }

  /** Counted at once for all, so that no fault depends on the order in which others are waited for. */
  #meeting(call: Call, path: string): Entry[] {
    this.#calls++;
    return this.#entries.filter((entry) => {
      if (entry.lifted || !isCall(entry, call) || !isPath(entry, path)) return false;
      entry.seen++;
      if (entry.seen <= (entry.after ?? 0) || entry.met >= (entry.times ?? 1)) return false;
      entry.met++;
      entry.reach();
      return true;
    });
  }
}

const isCall = ({ call }: Fault, made: Call): boolean =>
  call === undefined || (typeof call === 'string' ? call === made : call.includes(made));

function isPath({ path }: Fault, used: string): boolean {
  if (path === undefined) return true;
  return typeof path === 'string' ? isAtOrBelow(used, path) : path.test(used);
}

export const isAtOrBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
