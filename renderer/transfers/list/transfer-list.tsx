import { useVirtualizer } from '@tanstack/react-virtual';
import { type DragEvent, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { useFormat } from '../../messages/format.ts';
import { useLetterKeys } from '../../settings/letter-keys.ts';
import { isAllowed, primaryAction } from '../actions/allowed-actions.ts';
import type { Toast } from '../actions/toasts.tsx';
import { useTransferActions } from '../actions/transfer-actions.tsx';
import type { ListState, ListStore } from './list-store.ts';
import { type Move, moveBetween } from './move.ts';
import { indexOf, rowAt } from './pages.ts';
import { onRowKey } from './row-keys.ts';
import { type MenuTarget, RowMenu } from './row-menu.tsx';
import { choose, everything, isChosen, nothing, type Selection, toggle } from './selection.ts';
import { RowToCome, TransferRow } from './transfer-row.tsx';

interface TransferListProps {
  readonly store: ListStore;
  readonly state: ListState;
  readonly live: boolean;
  /** The list is in the queue's order, so rows can be moved. */
  readonly inQueueOrder: boolean;
  /** Rows have room for the full reason of a problem. */
  readonly whole: boolean;
  readonly selection: Selection;
  readonly onSelect: (selection: Selection) => void;
  readonly teamName: (id: string) => string | undefined;
  /** The saved scroll position. */
  readonly offset: number;
  readonly onOffset: (offset: number) => void;
}

/** The dragged row and its position at the start of the drag. */
interface Dragged {
  readonly transfer: AgentTransfer;
  readonly index: number;
}

/** In rem; as in rows.css. */
const heights = { wide: 4.25, middle: 6, narrow: 8 } as const;
const wholeHeights = { wide: 6.25, middle: 11.5, narrow: 11.5 } as const;
const widths = { narrow: matchMedia('(max-width: 46rem)'), middle: matchMedia('(max-width: 64rem)') } as const;
const widthNow = (): keyof typeof heights => (widths.narrow.matches ? 'narrow' : widths.middle.matches ? 'middle' : 'wide');
const rem = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** Of the row that an element is in. */
function indexIn(element: Element | null): number | null {
  const index = element?.closest<HTMLElement>('[data-index]')?.dataset['index'];
  return index === undefined ? null : Number(index);
}

function useRowHeight(whole: boolean): number {
  const width = useSyncExternalStore((changed) => {
    for (const one of Object.values(widths)) one.addEventListener('change', changed);
    return () => {
      for (const one of Object.values(widths)) one.removeEventListener('change', changed);
    };
  }, widthNow);
  return (whole ? wholeHeights : heights)[width] * rem();
}

/** The rows with virtual scrolling: only visible rows are in the page, and only pages near them are in memory. */
export function TransferList(props: TransferListProps) {
  const { store, state, live, inQueueOrder, whole, selection, onSelect, teamName, offset, onOffset } = props;
  const { messages } = useFormat();
  const actions = useTransferActions();
  const letters = useLetterKeys();
  const box = useRef<HTMLDivElement>(null);
  const total = state.pages.total ?? 0;
  const height = useRowHeight(whole);
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 8,
    initialOffset: offset,
  });
  useLayoutEffect(() => rows.measure(), [rows, height]);
  const { startIndex = 0, endIndex = 0 } = rows.range ?? {};
  useEffect(() => store.see(startIndex, endIndex), [store, startIndex, endIndex]);
  useEffect(() => () => onOffset(rows.scrollOffset ?? 0), [rows, onOffset]);

  const [at, setAt] = useState(0);
  const [menu, setMenu] = useState<MenuTarget | null>(null);
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const [dropAt, setDropAt] = useState<number | null>(null);
  const anchor = useRef(0);
  const focusWanted = useRef<number | null>(null);
  /** Something in the list had the focus, and nobody has taken it elsewhere. */
  const hasFocus = useRef(false);
  const current = Math.min(at, Math.max(0, total - 1));

  useLayoutEffect(() => {
    const focused = document.activeElement;
    const focusRow = (index: number): boolean => {
      const target = box.current?.querySelector<HTMLElement>(`[data-index="${index}"] [data-row-focus]`);
      target?.focus({ preventScroll: true });
      return Boolean(target);
    };
    // After the keyboard has moved to a row and it is rendered, the row gets the focus.
    if (focusWanted.current !== null) {
      if (focusRow(focusWanted.current)) focusWanted.current = null;
    } else if (box.current?.contains(focused)) {
      // The focus goes with its transfer when rows move.
      const index = indexIn(focused);
      if (index !== null) setAt(index);
    } else if (hasFocus.current && focused === document.body) {
      // The focused row is gone: the one in its place gets the focus.
      focusRow(current);
    }
  });

  const { pages } = state;
  const latest = useRef({ pages, selection });
  latest.current = { pages, selection };

  const chooseRange = useCallback(
    async (from: number, to: number) => {
      const chosen = await store.rowsBetween(from, to);
      onSelect(choose(latest.current.selection, chosen, true));
    },
    [store, onSelect],
  );
  const onChoose = useCallback(
    (index: number, transfer: AgentTransfer, range: boolean) => {
      if (range) void chooseRange(anchor.current, index);
      else onSelect(toggle(latest.current.selection, transfer));
      anchor.current = index;
    },
    [onSelect, chooseRange],
  );
  const onMenu = useCallback((transfer: AgentTransfer, button: HTMLElement) => setMenu({ transfer, button }), []);
  const onDrag = useCallback((transfer: AgentTransfer | null, index: number) => {
    setDragged(transfer && { transfer, index });
    setDropAt(null);
  }, []);

  /** Requests a move from the agent and shows the result with an undo action. Undoing it moves no other transfer. */
  const move = async (one: AgentTransfer, to: Move, text: Toast['text']): Promise<boolean> => {
    if (!(await actions.change(one.id, to))) return false;
    store.reload();
    const { position, priority } = one;
    const back = { position, ...(to.priority === undefined ? {} : { priority }) };
    const undo = async (): Promise<void> => {
      if (await actions.change(one.id, back)) store.reload();
    };
    actions.notify({ tone: 'plain', text, undo: () => void undo() });
    return true;
  };
  /** Moves the transfer at `from` before the row that is at `before` now. */
  const moveTo = async (one: AgentTransfer, from: number, before: number): Promise<void> => {
    const stands = (index: number): AgentTransfer | null => {
      const row = index < 0 ? undefined : rowAt(latest.current.pages, index);
      return row && isAllowed(row, 'move') ? row : null;
    };
    const [above, below] = [stands(before - 1), stands(before)];
    const to = moveBetween(one, above, below);
    const position = before > from ? before : before + 1;
    if (to) await move(one, to, ({ messages: { transfers }, number }) => transfers.moved(one.name, number(position), number(total)));
  };
  const step = (index: number, to: 'first' | 'up' | 'down' | 'last'): void => {
    const one = rowAt(pages, index);
    if (!one || !inQueueOrder || !isAllowed(one, 'move')) return;
    if (to === 'first') return void moveTo(one, index, 0);
    if (to === 'last') return void moveToEnd(one);
    const target = to === 'up' ? index - 1 : index + 2;
    if (target < 0 || !rowAt(pages, to === 'up' ? target : index + 1)) return;
    void moveTo(one, index, target);
  };
  /** Moves it behind all others with its priority: the largest position that the agent accepts. */
  const moveToEnd = async (one: AgentTransfer): Promise<void> => {
    await move(one, { position: 10_000_000 }, ({ messages: { transfers } }) => transfers.movedToEnd(one.name));
  };

  const dropIndex = (event: DragEvent): number => {
    const element = box.current!;
    const y = event.clientY - element.getBoundingClientRect().top + element.scrollTop;
    return Math.max(0, Math.min(total, Math.round(y / height)));
  };

  const list = messages.transfers.list;
  return (
    <>
      <section
        ref={box}
        className="rows"
        aria-label={list}
        aria-busy={pages.loaded.size === 0}
        style={{ blockSize: `calc(${Math.max(1, total) * height}px + 2px)` }}
        onFocus={({ target }) => {
          hasFocus.current = true;
          const index = indexIn(target);
          if (index !== null) setAt(index);
        }}
        onBlur={() => {
          hasFocus.current = false;
        }}
        onKeyDown={(event) =>
          onRowKey(event, {
            total,
            perPage: Math.max(1, endIndex - startIndex - 1),
            at: current,
            letters,
            rowAt: (index) => rowAt(pages, index),
            go(index, extend) {
              if (extend) void chooseRange(current, index);
              else anchor.current = index;
              focusWanted.current = index;
              setAt(index);
              rows.scrollToIndex(index);
            },
            toggle(index) {
              const row = rowAt(pages, index);
              if (row) onChoose(index, row, false);
            },
            chooseAll: () => onSelect(everything),
            clear: () => onSelect(nothing),
            move: step,
            end(index) {
              const row = rowAt(pages, index);
              if (row) actions.end(row);
            },
            main(index) {
              const row = rowAt(pages, index);
              const act = row && primaryAction(row);
              if (row && act) actions.do(`${act}Transfer`, row.id);
            },
            menu(index) {
              const row = rowAt(pages, index);
              const button = box.current?.querySelector<HTMLElement>(`[data-index="${index}"] [aria-haspopup="menu"]`);
              if (row && button) setMenu({ transfer: row, button });
            },
          })
        }
        onDragOver={(event) => {
          if (!dragged) return;
          event.preventDefault();
          event.dataTransfer.dropEffect = 'move';
          setDropAt(dropIndex(event));
        }}
        onDrop={(event) => {
          if (!dragged) return;
          event.preventDefault();
          void moveTo(dragged.transfer, dragged.index, dropIndex(event));
          onDrag(null, dragged.index);
        }}
      >
        <ul className="rows-inner" aria-label={list} style={{ blockSize: `${rows.getTotalSize()}px` }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const transfer = rowAt(pages, index);
            return (
              <li
                // By its transfer: a press that began on one must not end on another that has come into its place.
                key={transfer && indexOf(pages, transfer.id) === index ? transfer.id : `row ${index}`}
                aria-setsize={total}
                aria-posinset={index + 1}
                data-index={index}
                className="row-slot"
                style={{ transform: `translateY(${start}px)`, blockSize: `${height}px` }}
              >
                {transfer ? (
                  <TransferRow
                    transfer={transfer}
                    index={index}
                    live={live}
                    chosen={isChosen(selection, transfer.id)}
                    current={index === current}
                    movable={inQueueOrder && isAllowed(transfer, 'move')}
                    whole={whole}
                    teamName={teamName}
                    onChoose={onChoose}
                    onMenu={onMenu}
                    onDrag={onDrag}
                  />
                ) : (
                  <RowToCome current={index === current} />
                )}
              </li>
            );
          })}
        </ul>
        {dropAt === null ? null : <div className="drop-line" style={{ transform: `translateY(${dropAt * height}px)` }} />}
      </section>
      {menu ? (
        <RowMenu
          target={menu}
          onClose={() => setMenu(null)}
          onMove={inQueueOrder ? ({ transfer }, to) => step(indexOf(pages, transfer.id) ?? -1, to) : null}
        />
      ) : null}
    </>
  );
}
