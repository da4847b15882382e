import { useCallback, useEffect, useState } from 'react';
import type { File } from '#protocol/hosted/files.ts';
import { takeLock } from '../../common/locks.ts';
import { usePageEnvironment } from '../environment.ts';
import type { OpenedLink } from '../opened-link.ts';
import { type NotedSave, openNotes, type SaveNotes } from './notes.ts';
import { folderNameFor } from './plan.ts';
import { mayWrite, type Saving, type SavingPorts, startSaving } from './saving.ts';

/** The state of saving, as the page shows it. */
type SaveState =
  | { readonly kind: 'idle'; readonly problem: SaveProblem | null }
  /** An earlier visit did not finish. */
  | { readonly kind: 'unfinished'; readonly saved: NotedSave; readonly filesDone: number; readonly problem: SaveProblem | null }
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'saving'; readonly saving: Saving; readonly problem: SaveProblem | null };

export type SaveProblem = { readonly kind: 'refused' } | { readonly kind: 'broken'; readonly reason: string };

const problemOf = (error: unknown): SaveProblem =>
  error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'SecurityError')
    ? { kind: 'refused' }
    : { kind: 'broken', reason: error instanceof Error ? error.message : String(error) };

const chosenOf = (records: readonly File[], chosen: ReadonlySet<string> | undefined): readonly File[] =>
  chosen ? records.filter(({ id }) => chosen.has(id)) : records;

/** Saves a package into a folder, started here or by an earlier visit. */
export function useSaving(opened: OpenedLink, ports: SavingPorts) {
  const { baseUrl, keep } = usePageEnvironment();
  const { info, records } = opened;
  const linkId = info.id;
  const [state, setState] = useState<SaveState | null>(null);
  const [notes, setNotes] = useState<SaveNotes | null>(null);
  const lockName = `longshore-save:${linkId}`;

  useEffect(() => {
    void (async () => {
      const found = await openNotes(ports.indexedDB);
      setNotes(found);
      const [noted, files] = [await found.save(linkId), await found.files(linkId)];
      if (!noted) return setState({ kind: 'idle', problem: null });
      const release = await takeLock(lockName, ports.locks);
      if (!release) return setState({ kind: 'elsewhere' });
      release();
      const filesDone = [...files.values()].filter(({ whole }) => whole !== null).length;
      setState({ kind: 'unfinished', saved: noted, filesDone, problem: null });
    })();
  }, [ports, linkId, lockName]);

  const saving = state?.kind === 'saving' ? state.saving : null;
  useEffect(() => () => saving?.close(), [saving]);

  const start = useCallback(
    async ({ folder, token, chosen }: Pick<NotedSave, 'folder' | 'token' | 'chosen'>): Promise<void> => {
      const release = await takeLock(lockName, ports.locks);
      if (!release) return setState({ kind: 'elsewhere' });
      const tokens = [...new Set([token, opened.token(), info.package_token])];
      keep.put(linkId, token);
      const task = { linkId, packageId: info.package_id, baseUrl, tokens, folder, records: chosenOf(records, chosen) };
      const started = startSaving(task, ports, (reason) => {
        setState((before) => before && { ...before, problem: { kind: 'broken', reason } });
      });
      const close = (): void => {
        started.close();
        release();
      };
      setState({ kind: 'saving', saving: { ...started, close }, problem: null });
    },
    [lockName, ports, opened, info, linkId, baseUrl, keep, records],
  );

  return {
    state,
    /** Saves all of the package where nothing is chosen. */
    async choose(only: ReadonlySet<string>): Promise<void> {
      try {
        const root = await ports.pick();
        if (!root || !notes) return;
        const folder = await root.getDirectoryHandle(folderNameFor(info.name), { create: true });
        const chosen = only.size > 0 ? only : undefined;
        const files = chosenOf(records, chosen).filter(({ kind }) => kind === 'file');
        const bytes = files.reduce((sum, { size }) => sum + (size ?? 0), 0);
        const save = { linkId, token: opened.token(), folder, files: files.length, bytes, ...(chosen && { chosen }) };
        await notes.drop(linkId);
        await notes.putSave(save);
        await start(save);
      } catch (error) {
        setState({ kind: 'idle', problem: problemOf(error) });
      }
    },
    async goOn(noted: NotedSave): Promise<void> {
      if (await mayWrite(noted.folder)) return start(noted);
      setState((before) => before && { ...before, problem: { kind: 'refused' } });
    },
    refused: () => setState((before) => before && { ...before, problem: { kind: 'refused' } }),
    /** Data on the disk is kept. */
    async forget(): Promise<void> {
      if (state?.kind === 'saving') state.saving.close();
      await notes?.drop(linkId);
      setState({ kind: 'idle', problem: null });
    },
  };
}
