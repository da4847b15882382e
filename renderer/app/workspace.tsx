import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { DownloadIcon, Mark, SendIcon } from '#ui/icons.tsx';
import { KeysContext } from '../about/keys-context.ts';
import { desktopBridge } from '../desktop/bridge.ts';
import { useLocale } from '../messages/locale.ts';
import { useNotices } from '../notices/use-notices.ts';
import { DropVeil, useDrops } from '../paths/drop.tsx';
import type { Dropped } from '../paths/dropped.ts';
import { AccountMenu } from '../session/account-menu.tsx';
import { useGlobalKeys } from './global-keys.ts';
import { lazyView } from './lazy-view.ts';
import { AgentState, Navigation } from './navigation.tsx';
import { goTo, type Route, useRoute } from './route.ts';
import { RouteView } from './route-view.tsx';
import { type GetDraft, type SendDraft, type Tasks, TasksContext } from './tasks.ts';

const SendDialog = lazyView(async () => (await import('../send/send-dialog.tsx')).SendDialog);
const GetDialog = lazyView(async () => (await import('../get/get-dialog.tsx')).GetDialog);
const ContinueDialog = lazyView(async () => (await import('../handovers/continue-dialog.tsx')).ContinueDialog);
const OpenRequest = lazyView(async () => (await import('../open/open-request.tsx')).OpenRequest);
const KeysDialog = lazyView(async () => (await import('../about/keys-dialog.tsx')).KeysDialog);

type NewTask =
  | { readonly kind: 'send'; readonly draft: SendDraft }
  | { readonly kind: 'get'; readonly draft: GetDraft }
  | { readonly kind: 'continue'; readonly link: string };
type Task = NewTask & { readonly key: number };

/** The frame around every route: navigation, actions that are available everywhere, and the account. */
export function Workspace({ sessions }: { sessions: readonly SignedIn[] }) {
  const { messages } = useLocale();
  const route = useRoute();
  // A form opened by a deep link is shown above forms that are already open.
  const [open, setOpen] = useState<readonly Task[]>([]);
  const lastKey = useRef(0);
  const begin = useCallback((task: NewTask, alone = false) => {
    const key = ++lastKey.current;
    setOpen((before) => (alone && before.length > 0 ? before : [...before, { ...task, key }]));
  }, []);
  const tasks = useMemo<Tasks>(
    () => ({
      send: (draft = {}) => begin({ kind: 'send', draft }),
      get: (draft = {}) => begin({ kind: 'get', draft }),
      continueHandover: (link) => begin({ kind: 'continue', link }),
    }),
    [begin],
  );
  const onDrop = useCallback((dropped: Dropped) => tasks.send({ dropped }), [tasks]);
  // An open send form handles drops itself.
  const over = useDrops(desktopBridge(), open.at(-1)?.kind === 'send' ? null : onDrop);
  useAskedTask(route.name, begin);
  const [keys, setKeys] = useState(false);
  const showKeys = useMemo(() => ({ show: () => setKeys(true) }), []);
  useGlobalKeys(tasks, showKeys.show);
  useNotices();
  const content = useRef<HTMLElement>(null);
  // Both routes show the same list, only filtered, so changing between them does not move the focus.
  useFocusOnNavigation(route.name === 'needs' ? 'transfers' : route.name, content);
  const close = (task: Task) => setOpen((before) => before.filter((one) => one !== task));
  return (
    <TasksContext value={tasks}>
      <KeysContext value={showKeys}>
        <div className="frame">
          <button type="button" className="skip-link" onClick={() => content.current?.focus()}>
            {messages.app.skip}
          </button>
          <header className="side-bar">
            <div className="brand">
              <Mark />
              <span>Longshore</span>
            </div>
            <div className="side-actions">
              <button type="button" className="button button-primary" onClick={() => tasks.send()}>
                <SendIcon /> {messages.app.send}
              </button>
              <button type="button" className="button" onClick={() => tasks.get()}>
                <DownloadIcon /> {messages.app.get}
              </button>
            </div>
            <Navigation here={route} />
            <div className="side-foot">
              <AgentState />
              {sessions.length > 0 ? <AccountMenu sessions={sessions} /> : null}
            </div>
          </header>
          <main id="content" ref={content} tabIndex={-1}>
            <RouteView route={route} sessions={sessions} />
          </main>
        </div>
        <Suspense>
          {route.name === 'open' ? <OpenRequest key={route.address} address={route.address} /> : null}
          {over ? <DropVeil /> : null}
          {open.map((task) => {
            const onClose = (): void => close(task);
            if (task.kind === 'send') return <SendDialog key={task.key} draft={task.draft} sessions={sessions} onClose={onClose} />;
            if (task.kind === 'get') return <GetDialog key={task.key} draft={task.draft} onClose={onClose} />;
            return <ContinueDialog key={task.key} link={task.link} onClose={onClose} />;
          })}
          {keys ? <KeysDialog onClose={() => setKeys(false)} /> : null}
        </Suspense>
      </KeysContext>
    </TasksContext>
  );
}

/** Opens the form that an address requests, once. A form that is open already is kept, since it may contain input. */
function useAskedTask(route: Route['name'], begin: (task: NewTask, alone: boolean) => void): void {
  useEffect(() => {
    if (route !== 'send' && route !== 'get') return;
    begin({ kind: route, draft: {} }, true);
    goTo({ name: 'transfers' }, true);
  }, [route, begin]);
}

/** After navigation the focus moves to the new content, not to the link that led to it. */
function useFocusOnNavigation(route: string, content: { readonly current: HTMLElement | null }): void {
  const before = useRef(route);
  useEffect(() => {
    if (before.current === route) return;
    before.current = route;
    content.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [route, content]);
}
