import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { SendDraft } from '../app/tasks.ts';
import { withPaths } from '../paths/path-text.ts';
import type { Expiry } from './expiry.ts';

/** The ways to send: to addresses, as a link to pass on, or through a Portal. */
export const sendMethods = ['mail', 'link', 'portal'] as const;
export type SendMethod = (typeof sendMethods)[number];

/** What a person has filled in to the send form. */
export interface FormDraft {
  /** Null until one is chosen. */
  readonly way: SendMethod | null;
  readonly paths: readonly string[];
  /** The name that the first paths gave. Later ones do not change it. */
  readonly firstName: string;
  /** Null while it is not typed. */
  readonly name: string | null;
  readonly teamKey: string;
  readonly recipients: readonly string[];
  readonly message: string;
  readonly password: string;
  readonly expiry: Expiry;
  readonly limit: string;
  /** Whether to be told of the first download: `yes`, `no`, or empty where the Team's choice stands. */
  readonly told: string;
  /** Whether recipients are asked for a mailed code: `yes`, `no`, or empty where the Team's choice stands. */
  readonly verify: string;
  /** The Portal's address as typed. */
  readonly portal: string;
}

export const emptyDraft: FormDraft = {
  way: null,
  paths: [],
  firstName: '',
  name: null,
  teamKey: '',
  recipients: [],
  message: '',
  password: '',
  expiry: { kind: 'team' },
  limit: '',
  told: '',
  verify: '',
  portal: '',
};

const cacheKey = ['send', 'draft'] as const;
const storageKey = 'longshore.send-draft';

/** Whether there is anything in it that a person would miss. */
export function isFilled({ way: _way, teamKey: _team, firstName: _first, expiry, name, ...rest }: FormDraft): boolean {
  return expiry.kind !== 'team' || name !== null || Object.values(rest).some((value) => value.length > 0);
}

/** The password stays in memory: the browser's storage is no place for one. */
export function storeDraft(storage: Storage | null, draft: FormDraft): void {
  try {
    if (isFilled(draft)) storage?.setItem(storageKey, JSON.stringify({ ...draft, password: '' }));
    else storage?.removeItem(storageKey);
  } catch {
    // Full or denied: the draft lives as long as the page.
  }
}

export function storedDraft(storage: Storage | null): FormDraft {
  try {
    const stored: unknown = JSON.parse(storage?.getItem(storageKey) ?? 'null');
    return isDraft(stored) ? { ...emptyDraft, ...stored } : emptyDraft;
  } catch {
    return emptyDraft;
  }
}

/** An earlier version of the page may have written it. */
function isDraft(stored: unknown): stored is Partial<FormDraft> {
  if (typeof stored !== 'object' || stored === null) return false;
  const fields: Readonly<Record<string, unknown>> = { ...stored };
  return Object.entries(emptyDraft).every(([key, value]) => {
    const found = fields[key];
    if (found === undefined || key === 'name' || key === 'way') return found === undefined || found === null || typeof found === 'string';
    return typeof found === typeof value && Array.isArray(found) === Array.isArray(value);
  });
}

/** Whether a form opened with these values continues the kept draft, and is kept itself. A deep link's is a form of its own. */
export const isOwnDraft = ({ portal, name, description, sender }: SendDraft): boolean =>
  portal === undefined && name === undefined && description === undefined && sender === undefined;

interface KeptDraft {
  readonly draft: FormDraft;
  readonly change: (change: Partial<FormDraft>) => void;
  /** Whether it was there before the form was opened. */
  readonly restored: boolean;
  readonly clear: () => void;
}

/** The values of a send form, kept until they are sent: closing the form or loading the page again loses none. */
export function useKeptDraft(opened: SendDraft, storage: Storage | null): KeptDraft {
  const cache = useQueryClient();
  const own = isOwnDraft(opened);
  const [first] = useState(() => (own ? keptIn(cache, storage) : emptyDraft));
  const [restored, setRestored] = useState(own && isFilled(first));
  const [draft, setDraft] = useState<FormDraft>(() => ({
    ...first,
    ...(opened.portal ? { way: 'portal' as const } : {}),
    paths: withPaths(first.paths, opened.paths ?? []),
    ...(opened.name ? { name: opened.name } : {}),
    ...(opened.description ? { message: opened.description } : {}),
  }));
  const save = useCallback(
    (next: FormDraft): void => {
      if (!own) return;
      cache.setQueryDefaults(cacheKey, { gcTime: Number.POSITIVE_INFINITY });
      cache.setQueryData<FormDraft>(cacheKey, next);
      storeDraft(storage, next);
    },
    [cache, own, storage],
  );
  // Beside the state, so that it is kept at once: the form may be closed before it is drawn again.
  const latest = useRef(draft);
  const change = useCallback(
    (change: Partial<FormDraft>): void => {
      latest.current = { ...latest.current, ...change };
      save(latest.current);
      setDraft(latest.current);
    },
    [save],
  );
  const clear = useCallback((): void => {
    setRestored(false);
    change({ ...emptyDraft });
  }, [change]);
  return { draft, change, restored, clear };
}

const keptIn = (cache: QueryClient, storage: Storage | null): FormDraft => cache.getQueryData<FormDraft>(cacheKey) ?? storedDraft(storage);
