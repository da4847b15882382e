import type { ReactNode } from 'react';
import icon from '../../resources/icon.svg';

/** The product's name above whatever the page has to say. */
export function PageFrame({ children, busy = false }: { children: ReactNode; busy?: boolean }) {
  return (
    <main className="download" aria-busy={busy}>
      <div className="brand">
        <img src={icon} width="32" height="32" alt="" />
        <span>Longshore</span>
      </div>
      {children}
    </main>
  );
}
