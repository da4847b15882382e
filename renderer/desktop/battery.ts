import type { DesktopCalls } from './bridge.ts';

/** Chromium's battery, which TypeScript's library does not know. */
interface BatteryManager extends EventTarget {
  readonly level: number;
}
type WithBattery = Navigator & { getBattery?: () => Promise<BatteryManager> };

/**
 * Tells the desktop how full the battery is, now and whenever that changes: it keeps the machine awake for a transfer
 * only while there is enough. Browsers without the interface tell nothing.
 */
export async function reportBattery(bridge: Pick<DesktopCalls, 'reportBattery'>, navigator: WithBattery): Promise<void> {
  if (!navigator.getBattery) return;
  try {
    const battery = await navigator.getBattery();
    const report = (): void => void bridge.reportBattery(battery.level).catch(() => {});
    battery.addEventListener('levelchange', report);
    report();
  } catch {
    // A policy of the machine may forbid it; then the level stays unknown.
  }
}
