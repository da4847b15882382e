import { type ReactNode, useEffect, useRef } from 'react';

interface TabsProps {
  /** Names the tabs for screen readers. */
  readonly label: string;
  /** Links or buttons of the class `tab`; the one that is shown has `aria-current`. */
  readonly children: ReactNode;
}

/** Parts of a view to choose from. Where they are wider than the screen the chosen one is brought into sight. */
export function Tabs({ label, children }: TabsProps) {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = bar.current;
    const chosen = element?.querySelector<HTMLElement>('[aria-current]');
    if (!element || !chosen) return;
    const show = (): void => {
      const [from, to] = [chosen.offsetLeft, chosen.offsetLeft + chosen.offsetWidth];
      if (from < element.scrollLeft || to > element.scrollLeft + element.clientWidth)
        element.scrollLeft = from - (element.clientWidth - chosen.offsetWidth) / 2;
    };
    show();
    // Only what it has no room for by another width, not what the person scrolls to.
    const observer = new ResizeObserver(show);
    observer.observe(element);
    return () => observer.disconnect();
  });
  return (
    <nav ref={bar} className="tabs" aria-label={label}>
      {children}
    </nav>
  );
}
