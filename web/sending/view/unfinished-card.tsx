import { useEffect, useRef, useState } from 'react';
import { handoverClient } from '../../common/handover/calls.ts';
import { endHandover } from '../../common/handover/hand-over.ts';
import { takeLock } from '../../common/locks.ts';
import { handoverMessages } from '../../messages/handover.ts';
import { useFormat, useLocale } from '../../messages/portal.ts';
import { lockOf, type PackageToSend } from '../package-to-send.ts';
import type { StoredPackage } from '../store.ts';
import { discard, findAgain, readItems, reopen } from '../unfinished.ts';
import { useSendingEnvironment } from './environment.ts';
import { faultText } from './faults.ts';

interface UnfinishedCardProps {
  readonly stored: StoredPackage;
  readonly onResume: (toSend: PackageToSend) => void;
  readonly onGone: () => void;
}

/** An unfinished package of an earlier visit. */
export function UnfinishedCard({ stored, onResume, onGone }: UnfinishedCardProps) {
  const { store, api, fetcher, locks, tokenOf } = useSendingEnvironment();
  const format = useFormat();
  const { messages, files, size, moment } = format;
  const { language } = useLocale();
  const [asking, setAsking] = useState(false);
  const [elsewhere, setElsewhere] = useState(false);
  const [taken, setTaken] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  /** Our own check whether another tab has the lock takes it for a moment, so later work waits for the check. */
  const looked = useRef(Promise.resolve());

  const withLock = async (work: (release: () => void) => Promise<void>): Promise<void> => {
    await looked.current;
    const release = await takeLock(lockOf(stored.id), locks);
    if (!release) return setElsewhere(true);
    // Another tab may have finished it meanwhile.
    if ((await store.packages(stored.portalId)).some(({ id }) => id === stored.id))
      return work(release).catch((error: unknown) => {
        release();
        setFault(error);
      });
    release();
    onGone();
  };
  useEffect(() => {
    looked.current = takeLock(lockOf(stored.id), locks).then((release) => (release ? release() : setElsewhere(true)));
  }, [stored, locks]);
  /** Whether an app has taken it over: then it is the app's, and nothing of it is done here any more. */
  const wasTaken = async (token: string): Promise<boolean> => {
    if (stored.handover === undefined) return false;
    const client = handoverClient(api.baseUrl, fetcher, token);
    if ((await endHandover(client, stored.id, stored.handover)) !== 'taken') return false;
    await store.dropPackage(stored.id);
    setTaken(true);
    return true;
  };
  const goOn = (): Promise<void> =>
    withLock(async (release) => {
      // First, while the click's user activation is valid: the browser asks whether the files may be read again.
      const entries = await reopen(stored);
      const token = await tokenOf(stored);
      if (await wasTaken(token)) return release();
      const { handover: _, ...own } = stored;
      const items = await readItems(store, stored.id);
      for (const [item, file] of findAgain(items, entries)) {
        if (file.size !== item.size || file.lastModified !== item.lastModified) continue;
        item.file = file;
        item.state = 'waiting';
      }
      onResume({ stored: { ...own, token }, items, release });
    });
  const throwAway = (): Promise<void> =>
    withLock(async (release) => {
      if (stored.handover !== undefined && (await wasTaken(await tokenOf(stored)))) return release();
      await discard(api, tokenOf, store, stored);
      release();
      onGone();
    });

  return (
    <section className="card sending-note" aria-labelledby={`unfinished-${stored.id}`}>
      <h2 id={`unfinished-${stored.id}`}>{messages.unfinished.title}</h2>
      <p>{messages.unfinished.what(stored.name, files(stored.files), size(stored.bytes), moment(stored.begunAt))}</p>
      {elsewhere ? (
        <p className="notice" role="status">
          {messages.unfinished.elsewhere}
        </p>
      ) : null}
      {taken ? (
        <p className="notice" role="status">
          {handoverMessages[language].elsewhere}
        </p>
      ) : null}
      {fault === null ? null : (
        <p className="field-error" role="alert">
          {faultText(fault, format)}
        </p>
      )}
      <div className="note-buttons">
        {taken ? (
          <button type="button" className="button" onClick={onGone}>
            {handoverMessages[language].more}
          </button>
        ) : asking ? (
          <>
            <button type="button" className="button button-danger" onClick={throwAway}>
              {messages.unfinished.discardSure}
            </button>
            <button type="button" className="button" onClick={() => setAsking(false)}>
              {messages.unfinished.keep}
            </button>
          </>
        ) : (
          <>
            <button type="button" className="button button-primary" onClick={goOn}>
              {messages.unfinished.goOn}
            </button>
            <button type="button" className="button" onClick={() => setAsking(true)}>
              {messages.unfinished.discard}
            </button>
          </>
        )}
      </div>
    </section>
  );
}
