import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react';

interface MenuProps {
  readonly label: string;
  /** What it was opened by: it opens beside it, and gives the focus back to it. */
  readonly button: HTMLElement;
  readonly onClose: () => void;
  /** `MenuItem`s. */
  readonly children: ReactNode;
}

/** A menu of actions. Mount it to open it. The browser closes it on Escape or an outside click. */
export function Menu({ label, button, onClose, children }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
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
  return (
    <div
      ref={menu}
      popover="auto"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      className="menu"
      onKeyDown={(event) => walk(event)}
      onToggle={(event) => {
        if (event.newState === 'closed') onClose();
      }}
    >
      {children}
    </div>
  );
}

interface MenuItemProps {
  readonly label: string;
  /** Set for one choice of several. */
  readonly checked?: boolean;
  readonly onChoose: () => void;
}

export function MenuItem({ label, checked, onChoose }: MenuItemProps) {
  const role = checked === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': checked };
  return (
    <button type="button" {...role} tabIndex={-1} className="menu-item" onClick={onChoose}>
      {label}
    </button>
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
