import { reportBattery } from './battery.ts';
import type { DesktopBridge } from './bridge.ts';

/** Page-wide work in the desktop app: follows the desktop's navigation and reports the battery level. */
export function startDesktop(bridge: DesktopBridge | null, page: Pick<Window, 'location' | 'navigator'>): void {
  if (!bridge) return;
  bridge.onGo((place) => {
    if (place.startsWith('#/')) page.location.hash = place;
  });
  void reportBattery(bridge, page.navigator);
}
