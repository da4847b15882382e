import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useApp } from '../../app/context.ts';
import { createListStore, type ListState, type ListStore } from './list-store.ts';
import type { ListView } from './list-view.ts';

const after = (milliseconds: number, call: () => void): (() => void) => {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
};

/**
 * The list for a view, kept up to date while it is shown. Until the first answer for a new view, the previous rows
 * stay, so that nothing flickers while somebody types.
 */
export function useList({ show, search, kind, team, order }: ListView): { readonly store: ListStore; readonly state: ListState } {
  const { client, feed } = useApp();
  const store = useMemo(
    () => createListStore({ show, search, kind, team, order }, { client, feed, after }),
    [client, feed, show, search, kind, team, order],
  );
  const state = useSyncExternalStore(store.subscribe, store.current);
  const last = useRef(state);
  const answered = state.pages.total !== null || state.error !== null;
  useEffect(() => {
    if (answered) last.current = state;
  }, [answered, state]);
  return { store, state: answered ? state : { ...last.current, error: null } };
}

/** Debounces a value: returns it once it has not changed for this number of milliseconds. */
export function useSettled<T>(value: T, milliseconds: number): T {
  const [settled, settle] = useState(value);
  useEffect(() => after(milliseconds, () => settle(value)), [value, milliseconds]);
  return settled;
}
