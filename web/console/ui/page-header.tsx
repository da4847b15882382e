import { type ReactNode, useEffect } from 'react';
import { BackIcon } from '#ui/icons.tsx';

interface PageHeaderProps {
  readonly title: string;
  /** A sentence below it. */
  readonly text?: ReactNode;
  readonly back?: { readonly href: string; readonly label: string };
  /** The view's actions: buttons and links. */
  readonly children?: ReactNode;
}

/** The head of a view: what it is, the way back, and its actions. */
export function PageHeader({ title, text, back, children }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Longshore`;
  }, [title]);
  return (
    <header className="page-header">
      <div className="page-header-words">
        {back ? (
          <a className="back-link" href={back.href}>
            <BackIcon /> {back.label}
          </a>
        ) : null}
        <h1 dir="auto">{title}</h1>
        {text ? <p className="hint">{text}</p> : null}
      </div>
      {children ? <div className="page-header-acts">{children}</div> : null}
    </header>
  );
}
