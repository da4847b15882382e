import { type ReactNode, useEffect } from 'react';
import { Mark } from '#ui/icons.tsx';

/** A page with one card in the middle, for people who are not at work in a Team yet. */
export function FullPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Longshore`;
  }, [title]);
  return (
    <main className="full-page">
      <div className="brand">
        <Mark />
        <span>Longshore</span>
      </div>
      <section className="card card-form">
        <h1>{title}</h1>
        {children}
      </section>
    </main>
  );
}
