import type { KeyboardEvent } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';

/** Actions of the keyboard in the list. */
interface RowKeys {
  readonly total: number;
  /** Number of visible rows. */
  readonly perPage: number;
  readonly at: number;
  /** Single characters are shortcuts. */
  readonly letters: boolean;
  readonly rowAt: (index: number) => AgentTransfer | undefined;
  go(index: number, extend: boolean): void;
  toggle(index: number): void;
  chooseAll(): void;
  clear(): void;
  move(index: number, to: 'up' | 'down'): void;
  end(index: number): void;
  main(index: number): void;
  menu(index: number): void;
}

/** Whether the focused control handles the key itself. */
function isOwn(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.closest('input:not([type="checkbox"]), select, textarea, [role="menu"]') !== null;
}

/** All keys of the list in one table. */
export function onRowKey(event: KeyboardEvent<HTMLElement>, keys: RowKeys): void {
  if (isOwn(event.target)) return;
  const { at, total, perPage, letters } = keys;
  const onName = event.target instanceof HTMLElement && event.target.hasAttribute('data-row-focus');
  const command = event.ctrlKey || event.metaKey;
  const go = (index: number) => () => keys.go(Math.max(0, Math.min(total - 1, index)), event.shiftKey);
  const handlers: Readonly<Record<string, (() => void) | undefined>> = {
    ArrowDown: event.altKey ? () => keys.move(at, 'down') : go(at + 1),
    ArrowUp: event.altKey ? () => keys.move(at, 'up') : go(at - 1),
    PageDown: go(at + perPage),
    PageUp: go(at - perPage),
    Home: go(0),
    End: go(total - 1),
    ' ': onName ? () => keys.toggle(at) : undefined,
    Escape: keys.clear,
    Delete: () => keys.end(at),
    Backspace: () => keys.end(at),
    p: command || !letters ? undefined : () => keys.main(at),
    ContextMenu: () => keys.menu(at),
    a: command ? keys.chooseAll : undefined,
  };
  const handler = handlers[event.key];
  if (!handler || total === 0) return;
  event.preventDefault();
  handler();
}
