import { useEffect, useState } from 'react';
import type { DesktopBridge } from '../desktop/bridge.ts';
import { useLocale } from '../messages/locale.ts';
import { type Dropped, droppedOf } from './dropped.ts';

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
      if (event.dataTransfer) onDrop(droppedOf(event.dataTransfer, bridge));
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

/** The overlay while something is dragged over the window. */
export function DropVeil() {
  const { messages } = useLocale();
  return (
    <div className="drop-veil" aria-hidden="true">
      <p>{messages.send.dropHere}</p>
    </div>
  );
}
