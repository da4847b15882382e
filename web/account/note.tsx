import { type ReactNode, useEffect, useRef } from 'react';

interface NoteProps {
  readonly title: string;
  readonly text: string;
  /** A screen reader reads an error at once, and a success when it is idle. */
  readonly tone: 'alert' | 'status';
  readonly children?: ReactNode;
}

/** Replaces the form: a success, or the reason why it is not possible. */
export function Note({ title, text, tone, children }: NoteProps) {
  const head = useRef<HTMLHeadingElement>(null);
  // The button that had the focus is removed, so the focus is set here.
  useEffect(() => head.current?.focus(), []);
  return (
    <section className="card account-card" role={tone}>
      <h1 ref={head} tabIndex={-1} dir="auto">
        {title}
      </h1>
      <p>{text}</p>
      {children}
    </section>
  );
}
