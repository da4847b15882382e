import { type ReactNode, useEffect, useState } from 'react';

interface FoldedProps {
  readonly title: string;
  /** Something in it is wrong, so it has to be seen. */
  readonly hasError?: boolean;
  /** Whether it begins open, such as where it says something already. */
  readonly begins?: boolean;
  readonly children: ReactNode;
}

/** Fields that most people need not see. It opens by itself where one of them is wrong. */
export function Folded({ title, hasError = false, begins = false, children }: FoldedProps) {
  const [open, setOpen] = useState(begins);
  useEffect(() => {
    if (hasError) setOpen(true);
  }, [hasError]);
  return (
    <details className="more" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      <div className="form">{children}</div>
    </details>
  );
}
