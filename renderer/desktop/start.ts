import { reportBattery } from './battery.ts';
import type { DesktopBridge } from './bridge.ts';

/** Does in the desktop app what no view does: goes where the desktop leads, and says how the battery is. */
export function startDesktop(bridge: DesktopBridge | null, page: Pick<Window, 'location' | 'navigator'>): void {
  if (!bridge) return;
  bridge.onGo((place) => {
    if (place.startsWith('#/')) page.location.hash = place;
  });
  void reportBattery(bridge, page.navigator);
}
