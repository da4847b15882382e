import { useEffect } from 'react';
import { goTo, isConsolePath } from './address.ts';

/**
 * Plain links to places of the console (`<a href="/t/…">`) change the view without loading the document again. Links to
 * other pages, to other windows and for downloads stay as they are.
 */
export function useConsoleLinks(): void {
  useEffect(() => {
    const onClick = (event: MouseEvent): void => {
      if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (link === null) return;
      if (link.target !== '' || link.hasAttribute('download')) return;
      const { origin, pathname, search } = new URL(link.href, location.href);
      if (origin !== location.origin || !isConsolePath(pathname)) return;
      event.preventDefault();
      goTo(pathname + search);
    };
    document.addEventListener('click', onClick);
    return () => document.removeEventListener('click', onClick);
  }, []);
}
