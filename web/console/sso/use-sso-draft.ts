import { useCallback, useEffect, useMemo, useState } from 'react';
import type { SsoConnection } from '#protocol/hosted/sso.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { unsavedOf, useUnsaved } from '../ui/unsaved.ts';
import { type Draft, draftOf, editsOf, isChanged } from './draft.ts';

/** A secret is not kept. */
const keepable = ({ clientSecret: _, ...edits }: Partial<Draft>): Partial<Draft> => edits;

/** When it was last changed, also where nobody has set anything. */
export const changedAt = (connection: SsoConnection | undefined): string => connection?.updated_at ?? unsetDateTime;

/** Settings of single sign-on that are being changed. Unsaved changes outlive leaving the view, and closing the tab asks first. */
export function useSsoDraft(teamId: string, connection: SsoConnection | undefined) {
  const name = `sso-${teamId}`;
  const [from, setFrom] = useState(connection);
  const [draft, setDraft] = useState<Draft>(() => ({ ...draftOf(connection), ...unsavedOf<Partial<Draft>>(name) }));
  const [isRestored, setRestored] = useState(() => unsavedOf(name) !== null);
  const changed = useMemo(() => isChanged(draft, from), [draft, from]);
  useUnsaved(name, changed ? keepable(editsOf(draft, from)) : null);
  const restart = useCallback(
    (now: SsoConnection | undefined, keep: boolean): void => {
      setDraft((before) => (keep ? { ...draftOf(now), ...editsOf(before, from) } : draftOf(now)));
      setFrom(now);
      setRestored(false);
    },
    [from],
  );
  // What somebody else saved is taken over, unless it would take away what is not saved here.
  useEffect(() => {
    if (!changed && changedAt(connection) !== changedAt(from)) restart(connection, false);
  }, [connection, from, changed, restart]);
  return {
    draft,
    changed,
    /** Whether the changes are from an earlier visit of this tab. */
    isRestored: isRestored && changed,
    /** When what it began with was last changed. */
    readAt: changedAt(from),
    set: (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change })),
    /** Begins anew with the settings as they are now. `keep`: with the changes on top. */
    restart,
  };
}
