import type { PowerSaveBlocker } from 'electron';

/** How a battery stands; null where nobody has said. */
export interface Battery {
  /** 0 to 1. */
  readonly level: number;
}

/** Below this a battery is kept for the person. */
export const lowBattery = 0.2;

/**
 * Whether the machine is kept from going to sleep by itself: while something moves, on mains, or on a battery that
 * is known to have enough. Electron tells only whether it is on battery; its level comes from the page, and while
 * there is none the machine may sleep. The screen always may.
 */
export function keepsAwake(facts: { readonly moving: boolean; readonly onBattery: boolean; readonly battery: Battery | null }): boolean {
  if (!facts.moving) return false;
  if (!facts.onBattery) return true;
  return facts.battery !== null && facts.battery.level >= lowBattery;
}

/** Asks the system for it, once, and takes it back, once. */
export function wakeKeeper(blocker: Pick<PowerSaveBlocker, 'start' | 'stop'>): (awake: boolean) => void {
  let held: number | null = null;
  return (awake) => {
    if (awake && held === null) held = blocker.start('prevent-app-suspension');
    if (!awake && held !== null) {
      blocker.stop(held);
      held = null;
    }
  };
}
