import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { KeysContext } from '../about/keys-context.ts';
import { KeysDialog } from '../about/keys-dialog.tsx';
import { desktopBridge } from '../desktop/bridge.ts';
import { GetDialog } from '../get/get-dialog.tsx';
import { useNotices } from '../notices/use-notices.ts';
import { OpenRequest } from '../open/open-request.tsx';
import { type Dropped, DropVeil, useDrops } from '../paths/drop.tsx';
import { SendDialog } from '../send/send-dialog.tsx';
import { AccountMenu } from '../session/account-menu.tsx';
import { GetIcon, Mark, SendIcon } from '../ui/icons.tsx';
import { useTongue } from '../words/words.ts';
import { AgentState } from './agent-state.tsx';
import { useGlobalKeys } from './global-keys.ts';
import { PlaceView } from './place-view.tsx';
import { Places } from './places.tsx';
import { goTo, type Route, useRoute } from './route.ts';
import { type GetDraft, type SendDraft, type Tasks, TasksContext } from './tasks.ts';

type Task = { readonly kind: 'send'; readonly draft: SendDraft } | { readonly kind: 'get'; readonly draft: GetDraft };

/** The frame around every place: the way to the others, what can be begun from anywhere, and who is signed in. */
export function Workspace({ sessions }: { sessions: readonly SignedIn[] }) {
  const { words } = useTongue();
  const route = useRoute();
  const [task, setTask] = useState<Task | null>(null);
  const tasks = useMemo<Tasks>(
    () => ({
      send: (draft = {}) => setTask({ kind: 'send', draft }),
      get: (draft = {}) => setTask({ kind: 'get', draft }),
    }),
    [],
  );
  const onDrop = useCallback(
    (dropped: Dropped) =>
      tasks.send(dropped.paths ? { paths: dropped.paths } : { trouble: dropped.why === 'browser' ? 'notDropped' : 'noPlace' }),
    [tasks],
  );
  // A form to send that is open takes what is dropped itself.
  const over = useDrops(desktopBridge(), task?.kind === 'send' ? null : onDrop);
  useAskedTask(route.place, setTask);
  const [keys, setKeys] = useState(false);
  const showKeys = useMemo(() => ({ show: () => setKeys(true) }), []);
  useGlobalKeys(tasks, showKeys.show);
  useNotices();
  const content = useRef<HTMLElement>(null);
  useNewPlace(route.place, content);
  const close = () => setTask(null);
  return (
    <TasksContext value={tasks}>
      <KeysContext value={showKeys}>
        <div className="frame">
          <button type="button" className="skip-link" onClick={() => content.current?.focus()}>
            {words.app.skip}
          </button>
          <header className="side-bar">
            <div className="brand">
              <Mark />
              <span>Longshore</span>
            </div>
            <div className="side-actions">
              <button type="button" className="button button-primary" onClick={() => tasks.send()}>
                <SendIcon /> {words.app.send}
              </button>
              <button type="button" className="button" onClick={() => tasks.get()}>
                <GetIcon /> {words.app.get}
              </button>
            </div>
            <Places here={route} />
            <div className="side-foot">
              <AgentState />
              {sessions.length > 0 ? <AccountMenu sessions={sessions} /> : null}
            </div>
          </header>
          <main id="content" ref={content} tabIndex={-1}>
            <PlaceView route={route} sessions={sessions} />
          </main>
        </div>
        {route.place === 'open' ? <OpenRequest key={route.address} address={route.address} /> : null}
        {over ? <DropVeil /> : null}
        {task?.kind === 'send' ? <SendDialog draft={task.draft} sessions={sessions} onClose={close} /> : null}
        {task?.kind === 'get' ? <GetDialog draft={task.draft} onClose={close} /> : null}
        {keys ? <KeysDialog onClose={() => setKeys(false)} /> : null}
      </KeysContext>
    </TasksContext>
  );
}

/** Opens the form that an address asks for, once; one that is open already, and perhaps filled in, stays. */
function useAskedTask(place: Route['place'], setTask: (change: (open: Task | null) => Task | null) => void): void {
  useEffect(() => {
    if (place !== 'send' && place !== 'get') return;
    setTask((open) => open ?? { kind: place, draft: {} });
    goTo({ place: 'transfers' }, true);
  }, [place, setTask]);
}

/** After going to another place, reading and the keyboard go on there, not in the link that led to it. */
function useNewPlace(place: string, content: { readonly current: HTMLElement | null }): void {
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    content.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [place, content]);
}
