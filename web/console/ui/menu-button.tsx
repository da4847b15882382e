import { type ReactNode, useRef, useState } from 'react';
import { MoreIcon } from '#ui/icons.tsx';
import { Menu } from '#ui/menu.tsx';

interface MenuButtonProps {
  /** What the menu is for, such as the name of the row. */
  readonly label: string;
  /** Shown on the button in place of three dots. */
  readonly content?: ReactNode;
  readonly className?: string;
  /** `MenuItem`s of #ui/menu.tsx. Choosing one closes the menu. */
  readonly children: ReactNode;
}

/** A button that opens a menu of actions. */
export function MenuButton({ label, content, className = 'button button-quiet button-icon', children }: MenuButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        {content ?? <MoreIcon />}
      </button>
      {open && button.current ? (
        // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the items inside are buttons; this only hears that one was chosen
        <div className="menu-root" onClick={() => setOpen(false)}>
          <Menu label={label} button={button.current} onClose={() => setOpen(false)}>
            {children}
          </Menu>
        </div>
      ) : null}
    </>
  );
}
