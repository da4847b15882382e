import type { ReactNode } from 'react';
import { useWindow } from './use-window.ts';

interface WindowedListProps {
  readonly label: string;
  readonly count: number;
  /** Height of each row, in rem. */
  readonly rowHeight: number;
  readonly row: (index: number) => ReactNode;
  readonly rowKey: (index: number) => string | number;
}

/** A list with virtual scrolling: only visible rows are in the page, however long the list is. */
export function WindowedList({ label, count, rowHeight, row, rowKey }: WindowedListProps) {
  const { box, onScroll, indexes } = useWindow(count, rowHeight);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <section ref={box} className="window" aria-label={label} tabIndex={0} onScroll={onScroll}>
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
