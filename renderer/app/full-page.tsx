import type { ReactNode } from 'react';
import { Mark } from '#ui/icons.tsx';
import { useLocale } from '../messages/locale.ts';

/** A page with one card in the middle. */
export function FullPage({ title, children }: { title: string; children: ReactNode }) {
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

export function LoadingPage() {
  const { messages } = useLocale();
  return (
    <main className="full-page" aria-busy="true">
      <div className="brand">
        <Mark />
        <h1 className="brand-name">Longshore</h1>
      </div>
      <p className="hint" role="status">
        {messages.app.connecting}
      </p>
    </main>
  );
}
