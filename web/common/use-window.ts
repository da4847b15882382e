import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Rows rendered beyond the visible ones, so that the keyboard always has a next row to move to. */
const beyond = 6;
/** Rows rendered before the height is known. */
const atFirst = 16;

interface RowWindow {
  /** Ref for the scrolling element. */
  readonly box: RefObject<HTMLDivElement | null>;
  readonly onScroll: () => void;
  /** Indexes of the rows to render, in order. */
  readonly indexes: readonly number[];
  /** Scrolls only as far as needed to show a row. */
  readonly reveal: (index: number) => void;
}

/** Virtual scrolling: which of many rows of one height (in rem) are visible, plus the row `always`. */
export function useWindow(count: number, rowHeight: number, always: number | null = null): RowWindow {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ first: 0, last: atFirst });
  const pixels = (): number => rowHeight * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const look = (): void => {
    const element = box.current;
    if (!element) return;
    const height = pixels();
    const first = Math.floor(element.scrollTop / height);
    const last = first + Math.ceil(element.clientHeight / height);
    setSeen((before) => (before.first === first && before.last === last ? before : { first, last }));
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  });
  const from = Math.max(0, Math.min(seen.first, count - 1) - beyond);
  const to = Math.min(count, seen.last + beyond);
  const indexes = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
  if (always !== null && always >= 0 && always < count && (always < from || always >= to)) {
    if (always < from) indexes.unshift(always);
    else indexes.push(always);
  }
  const reveal = (index: number): void => {
    const element = box.current;
    if (!element) return;
    const height = pixels();
    if (index * height < element.scrollTop) element.scrollTop = index * height;
    else if ((index + 1) * height > element.scrollTop + element.clientHeight) {
      element.scrollTop = (index + 1) * height - element.clientHeight;
    }
  };
  return { box, onScroll: look, indexes, reveal };
}
