import type { PowerSaveBlocker } from 'electron';

/** The battery's state; null where it is unknown. */
export interface Battery {
  /** 0 to 1. */
  readonly level: number;
}

/** Below this level the machine may sleep, to save the battery. */
export const lowBattery = 0.2;

/**
 * Whether to prevent the system's sleep: while something moves, on mains power, or on a battery known to have enough
 * charge. Electron reports only whether the battery is in use. Its level is sent by the page; while the level is
 * unknown, the machine may sleep. The screen may always turn off.
 */
export function shouldPreventSleep(facts: {
  readonly moving: boolean;
  readonly onBattery: boolean;
  readonly battery: Battery | null;
}): boolean {
  if (!facts.moving) return false;
  if (!facts.onBattery) return true;
  return facts.battery !== null && facts.battery.level >= lowBattery;
}

/** Starts and stops the sleep blocker, once each. */
export function sleepBlocker(blocker: Pick<PowerSaveBlocker, 'start' | 'stop'>): (awake: boolean) => void {
  let held: number | null = null;
  return (awake) => {
    if (awake && held === null) held = blocker.start('prevent-app-suspension');
    if (!awake && held !== null) {
      blocker.stop(held);
      held = null;
    }
  };
}
