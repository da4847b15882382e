import { useEffect, useState } from 'react';
import type { DesktopBridge } from '../desktop/bridge.ts';
import { useLocale } from '../messages/locale.ts';

/** The result of a drop: paths where the desktop app knows them, or the reason why there are none. */
export type Dropped = { readonly paths: readonly string[] } | { readonly paths: null; readonly why: 'browser' | 'no_path' };

/**
 * Handles files and folders dropped anywhere on the window, so that a drop never navigates away. Returns whether
 * something is being dragged over the window. Without `onDrop` another component handles drops.
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
      // Only when the pointer leaves the window, not when it moves between elements.
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
  return paths.length > 0 ? { paths } : { paths: null, why: 'no_path' };
}

/** The overlay while something is dragged over the window. */
export function DropVeil() {
  const { messages } = useLocale();
  return (
    <div className="drop-veil" aria-hidden="true">
      <p>{messages.send.dropHere}</p>
    </div>
  );
}
