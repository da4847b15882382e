import { useEffect, useMemo, useRef, useState } from 'react';
import type { Handover } from '#protocol/hosted/handovers.ts';
import { handoverClient } from '../../common/handover/calls.ts';
import { endHandover, makeHandover } from '../../common/handover/hand-over.ts';
import type { Sending } from '../sending.ts';
import type { StoredPackage } from '../store.ts';
import { useSendingEnvironment } from '../view/environment.ts';
import { partsOf } from './parts.ts';

/** How far the handing over of a package is. */
export type HandOverState =
  | { readonly kind: 'none' }
  /** The page stops, and states what it has. */
  | { readonly kind: 'making' }
  | { readonly kind: 'waiting'; readonly link: string }
  /** Nobody came in time. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly fault: unknown }
  /** An app goes on; null until its progress is known. */
  | { readonly kind: 'taken'; readonly seen: Handover | null };

interface HandOver {
  readonly state: HandOverState;
  readonly begin: () => void;
  /** Goes on in this page, unless an app has taken over. */
  readonly back: () => void;
}

const lookAgainMs = 2_000;

/** Hands a package over to an app. The page sends nothing from `begin` on, until `back` has ended the code at the service. */
export function useHandOver(sending: Sending, stored: StoredPackage): HandOver {
  const { api, fetcher, store } = useSendingEnvironment();
  const client = useMemo(() => handoverClient(api.baseUrl, fetcher, stored.token), [api, fetcher, stored.token]);
  const [state, setState] = useState<HandOverState>({ kind: 'none' });
  /** Of the last code: as long as it is not ended, an app may have taken it. */
  const code = useRef<string | null>(null);

  const taken = async (seen: Handover | null): Promise<void> => {
    sending.takenOver();
    await store.dropPackage(stored.id);
    setState({ kind: 'taken', seen });
  };
  const ended = async (): Promise<boolean> => {
    if (code.current === null) return true;
    if ((await endHandover(client, stored.id, code.current)) === 'taken') {
      await taken(null);
      return false;
    }
    code.current = null;
    await store.putPackage(stored);
    return true;
  };
  const make = async (): Promise<void> => {
    setState({ kind: 'making' });
    if (!(await ended())) return;
    await sending.handOver();
    const { link } = await makeHandover(client, stored.id, partsOf(sending.items), async (id) => {
      code.current = id;
      await store.putPackage({ ...stored, handover: id });
    });
    setState({ kind: 'waiting', link });
  };
  const back = async (): Promise<void> => {
    if (!(await ended())) return;
    setState({ kind: 'none' });
    sending.start();
  };
  const fail = (fault: unknown): void => setState({ kind: 'failed', fault });

  const look = useRef(async (): Promise<void> => undefined);
  look.current = async () => {
    if (code.current === null) return;
    const params = { package_id: stored.id, handover_id: code.current };
    // Asked again soon: without an answer nothing changes.
    const seen = await client.call('getHandover', { params }).catch(() => null);
    if (seen === null) return;
    if (seen.state === 'taken') {
      if (state.kind === 'taken') setState({ kind: 'taken', seen });
      else await taken(seen);
    } else if (seen.state !== 'waiting' && state.kind === 'waiting') setState({ kind: 'ended' });
  };
  const over = state.kind === 'taken' && state.seen !== null && state.seen.package_state !== 'new';
  const looks = (state.kind === 'waiting' || state.kind === 'taken') && !over;
  useEffect(() => {
    if (!looks) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let mounted = true;
    const next = (): void => {
      timer = setTimeout(async () => {
        await look.current();
        if (mounted) next();
      }, lookAgainMs);
    };
    next();
    return () => {
      mounted = false;
      clearTimeout(timer);
    };
  }, [looks]);

  return { state, begin: () => void make().catch(fail), back: () => void back().catch(fail) };
}
