import { useCallback, useId, useState } from 'react';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { Choice } from '#ui/choice.tsx';
import { Notice } from '#ui/notice.tsx';
import type { SendDraft } from '../app/tasks.ts';
import { desktopBridge } from '../desktop/bridge.ts';
import { useLocale } from '../messages/locale.ts';
import { DropVeil, useDrops } from '../paths/drop.tsx';
import type { Dropped } from '../paths/dropped.ts';
import { isAbsolute, withPaths } from '../paths/path-text.ts';
import { PathsField } from '../paths/paths-field.tsx';
import { SignInDialog } from '../session/sign-in-dialog.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { PortalForm } from './portal/portal-form.tsx';
import { teamChoices } from './team-choice.ts';
import { TeamForm } from './team-form.tsx';

interface SendDialogProps {
  readonly draft: SendDraft;
  readonly sessions: readonly SignedIn[];
  readonly onClose: () => void;
}

/** Sends files and folders of the agent's machine to a Team, or through a Portal. */
export function SendDialog({ draft, sessions, onClose }: SendDialogProps) {
  const { send: messages } = useLocale().messages;
  const id = useId();
  const teams = teamChoices(sessions).length > 0;
  const [where, setWhere] = useState<'team' | 'portal'>(draft.portal || !teams ? 'portal' : 'team');
  const [paths, setPaths] = useState<readonly string[]>(draft.paths ?? []);
  const [typed, setTyped] = useState('');
  const [pathError, setPathError] = useState<string | null>(draft.trouble ? messages.paths[draft.trouble] : null);
  const [signingIn, setSigningIn] = useState(false);

  const onDrop = useCallback(
    (dropped: Dropped) => {
      if (dropped.paths) setPaths((before) => withPaths(before, dropped.paths));
      setPathError(dropped.paths ? null : messages.paths[dropped.why === 'browser' ? 'notDropped' : 'noPath']);
    },
    [messages],
  );
  const over = useDrops(desktopBridge(), onDrop);

  const settlePaths = (): readonly string[] | null => {
    const all = withPaths(paths, [typed]);
    const partial = all.find((path) => !isAbsolute(path));
    const problem = all.length === 0 ? messages.paths.none : partial ? messages.paths.partial(partial) : null;
    setPathError(problem);
    if (problem) return null;
    setPaths(all);
    setTyped('');
    return all;
  };
  const form = {
    draft,
    paths: withPaths(paths, [typed]),
    settlePaths,
    onClose,
    children: <PathsField paths={paths} onPaths={setPaths} typed={typed} onTyped={setTyped} error={pathError} />,
  };

  return (
    <Dialog title={messages.title} onClose={onClose} filled={paths.length > 0}>
      {over ? <DropVeil /> : null}
      <div className="send-where">
        <Choice
          label={messages.where.label}
          id={id}
          value={where}
          options={[
            ['team', messages.where.team],
            ['portal', messages.where.portal],
          ]}
          onChoose={setWhere}
        />
      </div>
      {where === 'team' && !teams ? (
        <Notice tone="plain">
          {messages.noTeam}{' '}
          <button type="button" className="button-link" onClick={() => setSigningIn(true)}>
            {messages.signIn}
          </button>
        </Notice>
      ) : null}
      {where === 'team' ? <TeamForm {...form} sessions={sessions} /> : <PortalForm {...form} sessions={sessions} />}
      {signingIn ? <SignInDialog renew={null} onClose={() => setSigningIn(false)} /> : null}
    </Dialog>
  );
}
