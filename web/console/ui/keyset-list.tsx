import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useShellTexts } from '../app/texts.ts';

interface KeysetListProps<Item> {
  /** Names the list for screen readers. */
  readonly label: string;
  /** What has been loaded, in order. */
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** Pixels of a row, as far as is known before it is shown; rows are measured. */
  readonly rowHeight: number;
  readonly row: (item: Item, index: number) => ReactNode;
  /** Set if there are more than what was loaded: called once the person comes near the end. */
  readonly more?: { readonly loading: boolean; readonly load: () => void };
}

/** Rows beyond what is in sight that are in the page, so that scrolling shows no gaps. */
const overscan = 12;

/**
 * A list of any length: only the rows in sight are in the page, and further pages are loaded while the person scrolls.
 * With react-query's infinite query: `more={query.hasNextPage ? { loading: query.isFetchingNextPage, load: query.fetchNextPage } : undefined}`.
 */
export function KeysetList<Item>({ label, items, keyOf, rowHeight, row, more }: KeysetListProps<Item>) {
  const { messages } = useShellTexts();
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const measure = (): void => setTop(element.getBoundingClientRect().top + window.scrollY);
    measure();
    // What stands above may grow, such as a line of filters.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    getItemKey: (index) => keyOf(items[index]!),
    overscan,
    scrollMargin: top,
  });
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  const isNearEnd = last >= items.length - overscan;
  useEffect(() => {
    if (isNearEnd && more && !more.loading) more.load();
  }, [isNearEnd, more]);
  return (
    <>
      <ul ref={list} className="keyset-list" aria-label={label} style={{ height: virtualizer.getTotalSize() }}>
        {rows.map((virtual) => (
          <li
            key={virtual.key}
            ref={virtualizer.measureElement}
            data-index={virtual.index}
            className="keyset-row"
            aria-posinset={virtual.index + 1}
            aria-setsize={more ? -1 : items.length}
            style={{ transform: `translateY(${virtual.start - virtualizer.options.scrollMargin}px)` }}
          >
            {row(items[virtual.index]!, virtual.index)}
          </li>
        ))}
      </ul>
      {more?.loading ? (
        <p className="hint view-loading" role="status">
          {messages.loadingMore}
        </p>
      ) : null}
    </>
  );
}
