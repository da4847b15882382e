import type { Engine } from '#engine/engine.ts';
import type { Automation } from '#protocol/agent/automations/automation.ts';

/** The automation as soon as it is as wanted. Follows events, so nothing is polled. */
export async function automationWhen(engine: Engine, id: string, wanted: (automation: Automation) => boolean): Promise<Automation> {
  const stop = new AbortController();
  const events = engine.events.subscribe(null, stop.signal)[Symbol.asyncIterator]();
  let next = events.next();
  try {
    for (;;) {
      const automation = engine.automations.get(id);
      if (wanted(automation)) return automation;
      await next;
      next = events.next();
    }
  } finally {
    stop.abort();
    await next;
  }
}

/** Waits until so many files were sent. */
export const sentBy = (engine: Engine, id: string, files: number): Promise<Automation> =>
  automationWhen(engine, id, ({ counts }) => counts.sent === files);
