import { useMemo, useState } from 'react';
import type { Portal } from '#protocol/hosted/portals.ts';
import { unsavedOf, useUnsaved } from '../../ui/unsaved.ts';
import { changesOf, type Draft, draftOf } from './draft.ts';

const nameOf = ({ id }: Portal): string => `portal-${id}`;
/** Passwords are not kept. */
const keepable = ({ download_password: _, ...changes }: Partial<Draft>): Partial<Draft> => changes;

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
  const [draft, setDraft] = useState<Draft>(() => ({ ...base, ...unsavedOf<Partial<Draft>>(nameOf(portal)) }));
  const [isRestored, setRestored] = useState(() => Object.keys(changesOf(base, draft)).length > 0);
  const changes = useMemo(() => changesOf(base, draft), [base, draft]);
  const isChanged = Object.keys(changes).length > 0;
  useUnsaved(nameOf(portal), isChanged ? keepable(changes) : null);
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
