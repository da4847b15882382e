import { type RefObject, useLayoutEffect } from 'react';

/** What a place covers on the screen, in CSS pixels. */
export interface Box {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** CSS pixels between the toasts and what they make way for. */
const gap = 8;

/**
 * By how many CSS pixels `box` must rise until it covers none of `kept`. 0 where there is no such place on the screen:
 * what is at the bottom then can be scrolled to.
 */
export function liftClear(box: Box, kept: readonly Box[]): number {
  const height = box.bottom - box.top;
  let bottom = box.bottom;
  for (const one of [...kept].sort((a, b) => b.bottom - a.bottom)) {
    if (one.right <= box.left || one.left >= box.right) continue;
    if (one.top < bottom && one.bottom > bottom - height) bottom = one.top - gap;
  }
  return bottom - height < gap ? 0 : box.bottom - bottom;
}

/** Lifts the element above whatever `selector` finds, for as long as `needed`: rows move by scrolling and by themselves. */
export function useClearPlace(element: RefObject<HTMLElement | null>, selector: string, needed: boolean): void {
  useLayoutEffect(() => {
    const lifted = element.current;
    if (!lifted || !needed) return;
    let lift = 0;
    let frame = 0;
    const look = (): void => {
      const { top, bottom, left, right } = lifted.getBoundingClientRect();
      const kept = [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
      const next = liftClear({ top: top + lift, bottom: bottom + lift, left, right }, kept);
      if (next !== lift) lifted.style.marginBottom = next === 0 ? '' : `${next}px`;
      lift = next;
      frame = requestAnimationFrame(look);
    };
    look();
    return () => {
      cancelAnimationFrame(frame);
      lifted.style.marginBottom = '';
    };
  }, [element, selector, needed]);
}
