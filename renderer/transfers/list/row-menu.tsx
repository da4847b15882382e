import { type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { goTo } from '../../app/route.ts';
import { desktopBridge } from '../../desktop/bridge.ts';
import { useFormat } from '../../messages/format.ts';
import { isAllowed, primaryAction, removalOf } from '../actions/allowed-actions.ts';
import { useTransferActions } from '../actions/transfer-actions.tsx';

export interface MenuTarget {
  readonly transfer: AgentTransfer;
  readonly button: HTMLElement;
}

interface RowMenuProps {
  readonly target: MenuTarget;
  /** Null where the list is not in the queue's order. */
  readonly onMove: ((target: MenuTarget, to: 'first' | 'up' | 'down' | 'last') => void) | null;
  readonly onClose: () => void;
}

const priorities = ['high', 'normal', 'low'] as const;

/** The menu with all actions for a transfer. The browser closes it on Escape or an outside click. */
export function RowMenu({ target, onMove, onClose }: RowMenuProps) {
  const { transfer, button } = target;
  const { messages } = useFormat();
  const { act } = messages.transfers;
  const actions = useTransferActions();
  const menu = useRef<HTMLDivElement>(null);
  const bridge = desktopBridge();

  useLayoutEffect(() => {
    const element = menu.current;
    if (!element) return;
    element.showPopover();
    const at = button.getBoundingClientRect();
    const below = at.bottom + element.offsetHeight < innerHeight;
    element.style.top = `${Math.max(8, below ? at.bottom + 4 : at.top - element.offsetHeight - 4)}px`;
    element.style.left = `${Math.max(8, at.right - element.offsetWidth)}px`;
    element.querySelector<HTMLElement>('[role^="menuitem"]')?.focus();
    return () => button.focus({ preventScroll: true });
  }, [button]);

  const item = (label: string, run: () => void) => (
    <button
      key={label}
      type="button"
      role="menuitem"
      tabIndex={-1}
      className="menu-item"
      onClick={() => {
        onClose();
        run();
      }}
    >
      {label}
    </button>
  );
  const main = primaryAction(transfer);
  const end = removalOf(transfer);
  const shown = transfer.kind === 'download' ? transfer.dst_folder : transfer.paths[0];

  return (
    <div
      ref={menu}
      popover="auto"
      role="menu"
      tabIndex={-1}
      aria-label={messages.transfers.row.more(transfer.name)}
      className="menu"
      onKeyDown={(event) => walk(event)}
      onToggle={(event) => {
        if (event.newState === 'closed') onClose();
      }}
    >
      {item(act.open, () => goTo({ name: 'transfer', id: transfer.id }))}
      {main ? item(act[main], () => actions.do(`${main}Transfer`, transfer.id)) : null}
      {isAllowed(transfer, 'pauseFor') ? item(act.pauseFor, () => actions.do('pauseTransfer', transfer.id, 1)) : null}
      {bridge && shown ? item(act.reveal, () => void bridge.revealFolder(shown)) : null}
      {onMove && isAllowed(transfer, 'move') ? (
        <>
          <hr />
          {(['first', 'up', 'down', 'last'] as const).map((to) => item(act[to], () => onMove(target, to)))}
        </>
      ) : null}
      {isAllowed(transfer, 'priority') ? (
        <fieldset className="menu-group">
          <legend>{act.priority}</legend>
          {priorities.map((priority) => (
            <button
              key={priority}
              type="button"
              role="menuitemradio"
              aria-checked={transfer.priority === priority}
              tabIndex={-1}
              className="menu-item"
              onClick={() => {
                onClose();
                void actions.change(transfer.id, { priority });
              }}
            >
              {act[priority]}
            </button>
          ))}
        </fieldset>
      ) : null}
      <hr />
      {item(act[end], () => actions.end(transfer))}
    </div>
  );
}

/** The arrow keys move the focus to the next item and wrap around. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1, Tab: at }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  items[(to + items.length) % items.length]?.focus();
}
