import { describe, expect, it } from 'vitest';
import type { DesktopBridge } from '#renderer/desktop/bridge.ts';
import { reportBattery, startDesktop } from '#renderer/desktop/start.ts';

describe('startDesktop', () => {
  const page = () => ({ location: { hash: '' }, navigator: {} }) as unknown as Pick<Window, 'location' | 'navigator'>;

  it('goes to places of the page alone', () => {
    let go: (place: string) => void = () => {};
    const here = page();
    startDesktop({ onGo: (listener: typeof go) => (go = listener) } as unknown as DesktopBridge, here);
    go('#/transfers/1');
    expect(here.location.hash).toBe('#/transfers/1');
    go('https://evil.example/');
    go('javascript:alert(1)');
    expect(here.location.hash).toBe('#/transfers/1');
  });

  it('does nothing in a browser', () => {
    expect(() => startDesktop(null, page())).not.toThrow();
  });
});

describe('reportBattery', () => {
  class Battery extends EventTarget {
    level = 0.9;
  }

  it('tells the level now and when it changes', async () => {
    const told: unknown[] = [];
    const battery = new Battery();
    const bridge = { reportBattery: async (level: number | null) => void told.push(level) };
    await reportBattery(bridge, { getBattery: async () => battery } as never);
    battery.level = 0.5;
    battery.dispatchEvent(new Event('levelchange'));
    expect(told).toEqual([0.9, 0.5]);
  });

  it('tells nothing where the browser does not know or may not say', async () => {
    const told: unknown[] = [];
    const bridge = { reportBattery: async (level: number | null) => void told.push(level) };
    await reportBattery(bridge, {} as Navigator);
    await reportBattery(bridge, { getBattery: async () => Promise.reject(new Error('forbidden')) } as never);
    expect(told).toEqual([]);
  });
});
