import type { RateLimit } from '#protocol/agent/settings.ts';
import { bothLimits, createThrottle, type RateLimiter, type Throttle } from '../io/rate-limit.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../state/store.ts';
import { limitAt } from './schedule.ts';

type Direction = 'upload' | 'download';

/** The speed limits of this agent: all uploads, all downloads, and single transfers. */
export interface RateLimits {
  get(direction: Direction): RateLimit;
  /** Takes effect at once, for running transfers too; resolves when it is saved. */
  set(direction: Direction, setting: RateLimit): Promise<RateLimit>;
  /**
   * Adds a running transfer and returns its limiter: its own limit inside its share of its direction's limit. `own` is read at each
   * `changed`, `weight` with each piece that moves.
   */
  add(id: string, direction: Direction, own: () => number, weight: () => number): RateLimiter;
  remove(id: string): void;
  /** The current limit of all transfers of a direction together, in bytes a second; 0 = no limit. */
  rate(direction: Direction): number;
  /** A transfer's own limit may have changed. */
  changed(id: string): void;
}

const officeHours = { enabled: true, start: '09:00', end: '17:00' } as const;
const free = { ...officeHours, enabled: false } as const;
/** The default: no limit, with a schedule to start from. */
const unlimited: RateLimit = {
  enabled: false,
  rate_limit_bps: 0,
  schedule_enabled: false,
  schedule: { mon: officeHours, tue: officeHours, wed: officeHours, thu: officeHours, fri: officeHours, sat: free, sun: free },
};

export function openRateLimits({ settings, writer }: Pick<Store, 'settings' | 'writer'>, clock: Clock): RateLimits {
  const nameOf = (direction: Direction): string => `${direction}-rate-limit`;
  const saved = (direction: Direction): RateLimit => {
    const text = settings.get(nameOf(direction));
    return text === null ? unlimited : (JSON.parse(text) as RateLimit);
  };
  const activeLimits: Record<Direction, RateLimit> = { upload: saved('upload'), download: saved('download') };
  const throttleOf = (direction: Direction): Throttle => createThrottle({ clock, limitAt: (now) => limitAt(activeLimits[direction], now) });
  const whole = { upload: throttleOf('upload'), download: throttleOf('download') };
  const running = new Map<string, Throttle>();
  writer.onEnd((lost) => {
    if (!lost) return;
    for (const direction of ['upload', 'download'] as const) {
      activeLimits[direction] = saved(direction);
      whole[direction].changed();
    }
    for (const throttle of running.values()) throttle.changed();
  });

  return {
    get: (direction) => activeLimits[direction],
    async set(direction, setting) {
      writer.write(() => settings.set(nameOf(direction), JSON.stringify(setting)));
      activeLimits[direction] = setting;
      whole[direction].changed();
      await writer.committed();
      return activeLimits[direction];
    },
    add(id, direction, own, weight) {
      const throttle = createThrottle({ clock, limitAt: () => ({ bytesPerSecond: own(), until: Number.POSITIVE_INFINITY }) });
      running.set(id, throttle);
      return bothLimits(throttle, whole[direction].share(weight));
    },
    rate: (direction) => whole[direction].rate(),
    remove: (id) => void running.delete(id),
    changed: (id) => running.get(id)?.changed(),
  };
}
