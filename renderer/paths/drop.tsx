import { useEffect, useState } from 'react';
import type { DesktopBridge } from '../desktop/bridge.ts';
import { useTongue } from '../words/words.ts';

/** What came of a drop: paths where the desktop app can say them, or why there are none. */
export type Dropped = { readonly paths: readonly string[] } | { readonly paths: null; readonly why: 'browser' | 'no_place' };

/**
 * Takes files and folders that are dropped anywhere on the window, so that a drop never leads away from the page. Gives
 * whether something is held above it. With no `onDrop`, somebody else takes them.
 */
export function useDrops(bridge: DesktopBridge | null, onDrop: ((dropped: Dropped) => void) | null): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (!onDrop) return;
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
    const drag = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      // Only when it leaves the window, not from one element to the next.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      onDrop(droppedOf([...(event.dataTransfer?.files ?? [])], bridge));
    };
    window.addEventListener('dragover', drag);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', drag);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, [bridge, onDrop]);
  return over;
}

export function droppedOf(files: readonly File[], bridge: Pick<DesktopBridge, 'pathOf'> | null): Dropped {
  if (!bridge) return { paths: null, why: 'browser' };
  const paths = files.map((file) => bridge.pathOf(file)).filter((path) => path !== '');
  return paths.length > 0 ? { paths } : { paths: null, why: 'no_place' };
}

/** What is seen while something is held above the window. */
export function DropVeil() {
  const { words } = useTongue();
  return (
    <div className="drop-veil" aria-hidden="true">
      <p>{words.send.dropHere}</p>
    </div>
  );
}
