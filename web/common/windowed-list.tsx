import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

interface WindowedListProps {
  readonly label: string;
  readonly count: number;
  /** Of each row, in rem. */
  readonly rowHeight: number;
  readonly row: (index: number) => ReactNode;
  readonly rowKey: (index: number) => string | number;
}

/** Rows beyond the edges, so that the keyboard always has a next one to go to. */
const beyond = 6;
/** Rows before the window's own height is known. */
const atFirst = 16;

/** A list of which only what is in sight is in the page, however long it is. */
export function WindowedList({ label, count, rowHeight, row, rowKey }: WindowedListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ first: 0, last: atFirst });
  const look = (): void => {
    const element = box.current;
    if (!element) return;
    const height = rowHeight * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
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
  const indexes = Array.from({ length: Math.max(0, to - from) }, (_, place) => from + place);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <section ref={box} className="window" aria-label={label} tabIndex={0} onScroll={look}>
      <ul style={{ blockSize: `${count * rowHeight}rem` }}>
        {indexes.map((index) => (
          <li
            key={rowKey(index)}
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ insetBlockStart: `${index * rowHeight}rem`, blockSize: `${rowHeight}rem` }}
          >
            {row(index)}
          </li>
        ))}
      </ul>
    </section>
  );
}
