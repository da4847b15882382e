import { useEffect, useRef, useState } from 'react';
import { guardRoute } from '../../app/route.ts';
import { useLocale } from '../../messages/locale.ts';
import { useAskBeforeUnload } from '../../ui/ask-before-unload.ts';
import { Dialog } from '../../ui/dialog.tsx';

/** Asks before what was entered is lost: by a change of the route, or by leaving the page. */
export function UnsavedGuard({ isChanged }: { readonly isChanged: boolean }) {
  const { lose } = useLocale().messages.app;
  const [wanted, setWanted] = useState<string | null>(null);
  const release = useRef<() => void>(() => undefined);
  useAskBeforeUnload(() => isChanged);
  useEffect(() => {
    if (!isChanged) return;
    const end = guardRoute(setWanted);
    release.current = end;
    return end;
  }, [isChanged]);
  if (wanted === null) return null;
  return (
    <Dialog title={lose.question} small onClose={() => setWanted(null)}>
      <div className="dialog-actions">
        <button
          type="button"
          className="button button-danger"
          onClick={() => {
            release.current();
            location.hash = wanted;
          }}
        >
          {lose.lose}
        </button>
        <button type="button" className="button button-primary" onClick={() => setWanted(null)}>
          {lose.stay}
        </button>
      </div>
    </Dialog>
  );
}
