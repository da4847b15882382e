import { useEffect, useMemo, useState } from 'react';
import type { Portal } from '#protocol/hosted/portals.ts';
import { changesOf, type Draft, draftOf } from './draft.ts';

const keyOf = (portalId: string): string => `longshore-portal-draft-${portalId}`;

/** Changes that were not saved, kept for as long as the tab is open. Passwords are not kept. */
function keptChanges(portalId: string): Partial<Draft> {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(portalId)) ?? '{}') as Partial<Draft>;
  } catch {
    return {};
  }
}

function keepChanges(portalId: string, { download_password: _, ...changes }: Partial<Draft>): void {
  try {
    if (Object.keys(changes).length === 0) sessionStorage.removeItem(keyOf(portalId));
    else sessionStorage.setItem(keyOf(portalId), JSON.stringify(changes));
  } catch {
    // Not kept: closing the tab asks all the same.
  }
}

export interface DraftState {
  readonly base: Draft;
  readonly draft: Draft;
  /** When what it began with was last changed. */
  readonly readAt: string;
  readonly isChanged: boolean;
  /** Whether the changes are from an earlier visit of this tab. */
  readonly isRestored: boolean;
  readonly change: (changes: Partial<Draft>) => void;
  /** Begins anew with a Portal as it is now. `keep`: with the changes on top. */
  readonly restart: (portal: Portal, keep: boolean) => void;
}

/** A Portal that is being changed. Unsaved changes outlive leaving the view, and closing the tab asks first. */
export function useDraft(portal: Portal): DraftState {
  const [from, setFrom] = useState(portal);
  const base = useMemo(() => draftOf(from), [from]);
  const [draft, setDraft] = useState<Draft>(() => ({ ...base, ...keptChanges(portal.id) }));
  const [isRestored, setRestored] = useState(() => Object.keys(changesOf(base, draft)).length > 0);
  const changes = useMemo(() => changesOf(base, draft), [base, draft]);
  const isChanged = Object.keys(changes).length > 0;
  useEffect(() => keepChanges(portal.id, changes), [portal.id, changes]);
  useEffect(() => {
    if (!isChanged) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isChanged]);
  return {
    base,
    draft,
    readAt: from.updated_at,
    isChanged,
    isRestored: isRestored && isChanged,
    change: (next) => setDraft((before) => ({ ...before, ...next })),
    restart: (now, keep) => {
      setFrom(now);
      setDraft(keep ? { ...draftOf(now), ...changes } : draftOf(now));
      setRestored(false);
    },
  };
}
