import type { RateLimit } from '#protocol/agent/settings.ts';
import { bothLimits, createThrottle, type RateLimiter, type Throttle } from '../io/rate-limit.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../state/store.ts';
import { limitAt } from './schedule.ts';

export type Direction = 'upload' | 'download';

/** How fast this agent may be: all uploads, all downloads, and single transfers. */
export interface Limits {
  get(direction: Direction): RateLimit;
  /** Holds at once, for what is under way too; resolves when it is written down. */
  set(direction: Direction, setting: RateLimit): Promise<RateLimit>;
  /** What a running transfer keeps to: its own limit inside that of its direction. `own` is read at each `changed`. */
  follow(id: string, direction: Direction, own: () => number): RateLimiter;
  unfollow(id: string): void;
  /** A transfer's own limit may be another one now. */
  changed(id: string): void;
}

const officeHours = { enabled: true, start: '09:00', end: '17:00' } as const;
const free = { ...officeHours, enabled: false } as const;
/** Nothing is limited; the schedule is one to begin with. */
const unlimited: RateLimit = {
  enabled: false,
  rate_limit_bps: 0,
  schedule_enabled: false,
  schedule: { mon: officeHours, tue: officeHours, wed: officeHours, thu: officeHours, fri: officeHours, sat: free, sun: free },
};

export function openLimits({ settings, writer }: Pick<Store, 'settings' | 'writer'>, clock: Clock): Limits {
  const nameOf = (direction: Direction): string => `${direction}-rate-limit`;
  const kept = (direction: Direction): RateLimit => {
    const text = settings.get(nameOf(direction));
    return text === null ? unlimited : (JSON.parse(text) as RateLimit);
  };
  const standing: Record<Direction, RateLimit> = { upload: kept('upload'), download: kept('download') };
  const throttleOf = (direction: Direction): Throttle => createThrottle({ clock, limitAt: (now) => limitAt(standing[direction], now) });
  const whole = { upload: throttleOf('upload'), download: throttleOf('download') };
  const running = new Map<string, Throttle>();

  return {
    get: (direction) => standing[direction],
    async set(direction, setting) {
      writer.write(() => settings.set(nameOf(direction), JSON.stringify(setting)));
      standing[direction] = setting;
      whole[direction].changed();
      await writer.committed();
      return standing[direction];
    },
    follow(id, direction, own) {
      const throttle = createThrottle({ clock, limitAt: () => ({ bytesPerSecond: own(), until: Number.POSITIVE_INFINITY }) });
      running.set(id, throttle);
      return bothLimits(throttle, whole[direction]);
    },
    unfollow: (id) => void running.delete(id),
    changed: (id) => running.get(id)?.changed(),
  };
}
