import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { OwnTeam } from '#protocol/hosted/accounts.ts';
import type { CloudFile } from '#protocol/hosted/connections.ts';
import type { Entry } from '../../sending/files/entry.ts';
import { useAccount, useTeam } from '../app/account.ts';
import { readOwn, writeOwn } from '../app/own-storage.ts';
import { type Draft, emptyDraft } from './draft.ts';
import { topNames } from './proposed-name.ts';

/** All that is filled in to send something. */
export interface SendDraft {
  readonly source: 'files' | 'cloud';
  readonly fields: Draft;
  readonly entries: readonly Entry[];
  /** Files and folders that were chosen before the page was loaded anew: a browser keeps their names alone. */
  readonly lost: readonly string[];
  /** Whether a password was typed before: it is not kept. */
  readonly passwordLost: boolean;
  /** Empty: the first one. */
  readonly connectionId: string;
  readonly chosen: readonly CloudFile[];
}

type Policies = Pick<OwnTeam, 'public_links_allowed'>;

export const emptySendDraft = (team: Policies): SendDraft => ({
  source: 'files',
  fields: emptyDraft(team),
  entries: [],
  lost: [],
  passwordLost: false,
  connectionId: '',
  chosen: [],
});

/** What is still to be chosen again. */
export function stillLost({ lost, entries }: Pick<SendDraft, 'lost' | 'entries'>): readonly string[] {
  if (lost.length === 0) return lost;
  const there = new Set(topNames(entries));
  return lost.filter((name) => !there.has(name));
}

/** Whether there is anything in it that a person would miss. */
export function isFilled({ fields: { way: _way, verify, ...texts }, entries, lost, passwordLost, chosen }: SendDraft): boolean {
  const some = entries.length + lost.length + chosen.length > 0;
  return some || passwordLost || verify !== null || Object.values(texts).some((text) => text !== '');
}

/** Names of files and folders that are kept at most; a folder counts as one. */
const mostNames = 1_000;

/** What is kept of it in the browser, where no password has a place; null for nothing. */
export function toStored(draft: SendDraft): string | null {
  if (!isFilled(draft)) return null;
  const { source, fields, entries, connectionId, chosen } = draft;
  const lost = [...new Set([...topNames(entries), ...stillLost(draft)])].slice(0, mostNames);
  const passwordLost = draft.passwordLost || fields.password !== '';
  return JSON.stringify({ source, fields: { ...fields, password: '' }, lost, passwordLost, connectionId, chosen });
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCloudFile = (one: Partial<CloudFile> | null): one is CloudFile =>
  isText(one?.id) && isText(one.name) && (one.kind === 'file' || one.kind === 'directory');

/** What was kept, as far as it fits: an earlier version of the page may have written it, and the Team may allow less now. */
export function fromStored(stored: string | null, team: Policies): SendDraft {
  const empty = emptySendDraft(team);
  try {
    const found = JSON.parse(stored ?? 'null') as Partial<Record<keyof SendDraft, unknown>> | null;
    if (typeof found !== 'object' || found === null) return empty;
    const { source, fields, lost, passwordLost, connectionId, chosen } = found;
    return {
      ...empty,
      source: source === 'cloud' ? 'cloud' : 'files',
      fields: fieldsIn(fields, empty.fields),
      lost: Array.isArray(lost) ? lost.filter(isText) : [],
      passwordLost: passwordLost === true,
      connectionId: isText(connectionId) ? connectionId : '',
      chosen: Array.isArray(chosen) ? chosen.filter(isCloudFile) : [],
    };
  } catch {
    return empty;
  }
}

function fieldsIn(found: unknown, empty: Draft): Draft {
  const { way, verify, ...texts } = { ...(found as Partial<Record<keyof Draft, unknown>>) };
  const kept = Object.entries(texts).filter(([name, value]) => name in empty && isText(value));
  return {
    ...empty,
    ...Object.fromEntries(kept),
    password: '',
    // Where links are not allowed any more, the way is the other one.
    way: way === 'mail' ? 'mail' : empty.way === 'mail' ? 'mail' : 'link',
    verify: typeof verify === 'boolean' ? verify : null,
  };
}

type Change = Partial<SendDraft> | ((before: SendDraft) => Partial<SendDraft>);

export interface KeptDraft {
  readonly draft: SendDraft;
  readonly change: (change: Change) => void;
  /** Whether something of it was there before the view was opened. */
  readonly restored: boolean;
  /** It was sent, or thrown away. */
  readonly clear: () => void;
}

/**
 * What a person has filled in for a Team, until it is sent: leaving the view loses nothing, and loading the page anew only what a
 * browser cannot keep.
 */
export function useKeptDraft(): KeptDraft {
  const team = useTeam();
  const { user } = useAccount();
  const cache = useQueryClient();
  const name = `send ${team.id}`;
  const key = ['team', team.id, 'send-draft', user.id];
  const [first] = useState(() => cache.getQueryData<SendDraft>(key) ?? fromStored(readOwn(user.id, name), team));
  const [restored, setRestored] = useState(() => isFilled(first));
  const [draft, setDraft] = useState(first);
  // Beside the state, so that it is kept at once: the view may be left before it is drawn again.
  const latest = useRef(first);
  const change = (change: Change): void => {
    latest.current = { ...latest.current, ...(typeof change === 'function' ? change(latest.current) : change) };
    cache.setQueryDefaults(key, { gcTime: Number.POSITIVE_INFINITY });
    cache.setQueryData<SendDraft>(key, latest.current);
    writeOwn(user.id, name, toStored(latest.current));
    setDraft(latest.current);
  };
  const clear = (): void => {
    setRestored(false);
    change({ ...emptySendDraft(team), source: latest.current.source });
  };
  return { draft, change, restored, clear };
}
