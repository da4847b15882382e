import { describe, expect, it } from 'vitest';
import { appOpened } from '#web/common/app-link.ts';

function surroundings() {
  const [page, document] = [new EventTarget(), new EventTarget()];
  let work: (() => void) | null = null;
  return {
    page,
    document,
    after(_: number, then: () => void) {
      work = then;
      return () => {
        work = null;
      };
    },
    pass: () => work?.(),
    waits: () => work !== null,
  };
}

describe('an address of another program', () => {
  it.each(['blur', 'pagehide', 'visibilitychange'])('was taken up when the page has a %s', async (type) => {
    const place = surroundings();
    const opened = appOpened(place);
    (type === 'visibilitychange' ? place.document : place.page).dispatchEvent(new Event(type));
    expect(await opened).toBe(true);
    expect(place.waits()).toBe(false);
  });

  it('was not when nothing happens for a while', async () => {
    const place = surroundings();
    const opened = appOpened(place);
    expect(place.waits()).toBe(true);
    place.pass();
    expect(await opened).toBe(false);
  });
});
