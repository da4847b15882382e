import { useCallback, useEffect, useId, useRef, useState } from 'react';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { Choice } from '#ui/choice.tsx';
import { Notice } from '#ui/notice.tsx';
import { tabStorage } from '../agent/token.ts';
import { useApp } from '../app/context.ts';
import type { SendDraft } from '../app/tasks.ts';
import { desktopBridge } from '../desktop/bridge.ts';
import { useLocale } from '../messages/locale.ts';
import { DropVeil, useDrops } from '../paths/drop.tsx';
import { deleteDrops } from '../paths/drops/delete-drops.ts';
import { isAbsolute, isNamedBy, nameFor, withPaths } from '../paths/path-text.ts';
import { PathsField } from '../paths/paths-field.tsx';
import { useDroppedPaths } from '../paths/use-dropped-paths.ts';
import { SignInDialog } from '../session/sign-in-dialog.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { isOwnDraft, useKeptDraft } from './kept-draft.ts';
import { PortalForm } from './portal/portal-form.tsx';
import { teamChoices } from './team-choice.ts';
import { TeamForm } from './team-form.tsx';

interface SendDialogProps {
  readonly draft: SendDraft;
  readonly sessions: readonly SignedIn[];
  readonly onClose: () => void;
}

/** Sends files and folders of the agent's machine: to addresses, as a link, or through a Portal. */
export function SendDialog({ draft: opened, sessions, onClose }: SendDialogProps) {
  const { send: messages } = useLocale().messages;
  const { client } = useApp();
  const id = useId();
  const teams = teamChoices(sessions).length > 0;
  const { draft, change, restored, clear } = useKeptDraft(opened, tabStorage());
  const way = draft.way ?? (teams ? 'mail' : 'portal');
  const [typed, setTyped] = useState('');
  const [pathError, setPathError] = useState<string | null>(null);
  const [signingIn, setSigningIn] = useState(false);
  const kept = isOwnDraft(opened);

  const setPaths = useCallback(
    (paths: readonly string[]): void => {
      // The name that the first ones gave stays while one of them is there, whatever is added to them.
      change({ paths, ...(isNamedBy(draft.firstName, paths) ? {} : { firstName: nameFor(paths) }) });
    },
    [change, draft.firstName],
  );
  const latest = useRef({ paths: draft.paths, setPaths });
  latest.current = { paths: draft.paths, setPaths };
  const dropped = useDroppedPaths(
    useCallback((paths) => latest.current.setPaths(withPaths(latest.current.paths, paths)), []),
    setPathError,
  );
  const { take } = dropped;
  const over = useDrops(desktopBridge(), take);
  useEffect(() => {
    if (opened.dropped) take(opened.dropped);
  }, [opened.dropped, take]);

  const startOver = (): void => {
    for (const copy of dropped.copies) copy.cancel();
    deleteDrops(client, draft.paths);
    clear();
  };

  const settlePaths = (): readonly string[] | null => {
    const all = withPaths(draft.paths, [typed]);
    const partial = all.find((path) => !isAbsolute(path));
    const problem =
      dropped.copies.length > 0
        ? messages.paths.copyFirst
        : all.length === 0
          ? messages.paths.none
          : partial
            ? messages.paths.partial(partial)
            : null;
    setPathError(problem);
    if (problem) return null;
    setPaths(all);
    setTyped('');
    return all;
  };
  const all = withPaths(draft.paths, [typed]);
  const form = {
    draft,
    change,
    packageName: draft.name ?? (draft.firstName || nameFor([...all, ...dropped.copies.flatMap(({ names }) => names)])),
    settlePaths,
    onSent() {
      clear();
      onClose();
    },
    children: <PathsField paths={draft.paths} onPaths={setPaths} typed={typed} onTyped={setTyped} error={pathError} dropped={dropped} />,
  };

  return (
    <Dialog
      title={messages.title}
      onClose={onClose}
      filled={draft.paths.length > 0 || dropped.copies.length > 0}
      keeps={kept && dropped.copies.length === 0}
    >
      {over ? <DropVeil /> : null}
      {restored ? (
        <Notice tone="plain">
          {messages.restored}{' '}
          <button type="button" className="button-link" onClick={startOver}>
            {messages.startOver}
          </button>
        </Notice>
      ) : null}
      <div className="send-where">
        <Choice
          label={messages.where.label}
          id={id}
          value={way}
          options={[
            ['mail', messages.where.mail],
            ['link', messages.where.link],
            ['portal', messages.where.portal],
          ]}
          onChoose={(chosen) => change({ way: chosen })}
        />
        <p className="hint">{messages.where.hints[way]}</p>
      </div>
      {way !== 'portal' && !teams ? (
        <Notice tone="plain">
          {messages.noTeam}{' '}
          <button type="button" className="button-link" onClick={() => setSigningIn(true)}>
            {messages.signIn}
          </button>
        </Notice>
      ) : null}
      {way === 'portal' ? (
        <PortalForm {...form} opened={opened} sessions={sessions} />
      ) : (
        <TeamForm {...form} byMail={way === 'mail'} sessions={sessions} />
      )}
      {signingIn ? <SignInDialog renew={null} onClose={() => setSigningIn(false)} /> : null}
    </Dialog>
  );
}
