import { useEffect, useMemo, useState } from 'react';
import type { TeamSettings } from '#protocol/hosted/teams.ts';
import { unsavedOf, useUnsaved } from '../ui/unsaved.ts';
import { changesOf, type Draft, draftOf, editsOf } from './draft.ts';

/** A Team's settings that are being changed. Unsaved changes outlive leaving the view, and closing the tab asks first. */
export function useSettingsDraft(settings: TeamSettings) {
  const name = `team-${settings.id}`;
  const [from, setFrom] = useState(settings);
  const [draft, setDraft] = useState<Draft>(() => ({ ...draftOf(settings), ...unsavedOf<Partial<Draft>>(name) }));
  const [isRestored, setRestored] = useState(() => unsavedOf(name) !== null);
  const changes = useMemo(() => changesOf(draft, from), [draft, from]);
  const isChanged = Object.keys(changes).length > 0;
  useUnsaved(name, isChanged ? editsOf(draft, from) : null);
  // What somebody else saved is taken over, unless it would take away what is not saved here.
  useEffect(() => {
    if (isChanged || settings.updated_at === from.updated_at) return;
    setFrom(settings);
    setDraft(draftOf(settings));
  }, [settings, from, isChanged]);
  return {
    draft,
    changes,
    isChanged,
    /** Whether the changes are from an earlier visit of this tab. */
    isRestored: isRestored && isChanged,
    /** When what it began with was last changed. */
    readAt: from.updated_at,
    set: (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change })),
    /** Begins anew with the settings as they are now. `keep`: with the changes on top. */
    restart(now: TeamSettings, keep: boolean): void {
      setFrom(now);
      setDraft(keep ? { ...draftOf(now), ...editsOf(draft, from) } : draftOf(now));
      setRestored(false);
    },
  };
}
