import type { DesktopBridge, DesktopCalls } from './bridge.ts';

/** Page-wide work in the desktop app: follows the desktop's navigation and reports the battery level. */
export function startDesktop(bridge: DesktopBridge | null, page: Pick<Window, 'location' | 'navigator'>): void {
  if (!bridge) return;
  bridge.onGo((hash) => {
    if (hash.startsWith('#/')) page.location.hash = hash;
  });
  void reportBattery(bridge, page.navigator);
}

/** Chromium's battery API, which TypeScript's library does not declare. */
interface BatteryManager extends EventTarget {
  readonly level: number;
}
type WithBattery = Navigator & { getBattery?: () => Promise<BatteryManager> };

/**
 * Reports the battery level to the desktop, now and on each change: the desktop prevents sleep for a transfer only with
 * enough charge. Browsers without the API report nothing.
 */
export async function reportBattery(bridge: Pick<DesktopCalls, 'reportBattery'>, navigator: WithBattery): Promise<void> {
  if (!navigator.getBattery) return;
  try {
    const battery = await navigator.getBattery();
    const report = (): void => void bridge.reportBattery(battery.level).catch(() => {});
    battery.addEventListener('levelchange', report);
    report();
  } catch {
    // The machine's policy may forbid it; then the level stays unknown.
  }
}
