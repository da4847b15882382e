import { useQuery } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { CheckIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/send.ts';
import { en } from '../../messages/en/console/send.ts';
import { useSendingEnvironment } from '../../sending/view/environment.ts';
import { SendingProgress } from '../../sending/view/sending-view.tsx';
import { useAccount, useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { useToast } from '../ui/toasts.tsx';
import type { RunningPackage } from './running.ts';
import { useRunningPackages } from './sender.ts';

const calls = defineCalls({
  listLinks: { method: 'GET', path: '/v1/packages/{package_id}/links', reply: { status: 200 } },
  deletePackage: { method: 'DELETE', path: '/v1/packages/{package_id}', reply: { status: 204 } },
});

/** What this tab sends for the Team in view. */
export function useRunning(): readonly RunningPackage[] {
  const { subscribe, list } = useRunningPackages();
  const team = useTeam();
  return useSyncExternalStore(subscribe, list).filter(({ teamId }) => teamId === team.id);
}

export function RunningList({ running }: { readonly running: readonly RunningPackage[] }) {
  return running.map((one) => <Running key={one.stored.id} one={one} />);
}

function Running({ one }: { readonly one: RunningPackage }) {
  const { sending, stored } = one;
  const progress = useSyncExternalStore(sending.subscribe, sending.progress);
  const { dismiss } = useRunningPackages();
  if (progress.phase.kind === 'done') return <Sent one={one} onDismiss={() => dismiss(stored.id)} />;
  return (
    <div className="send-running">
      <SendingProgress sending={sending} progress={progress} stored={stored} heading="h2" onMore={() => dismiss(stored.id)} />
      {progress.phase.kind === 'taken_over' ? null : <StopButton one={one} />}
    </div>
  );
}

/** Stops for good: what was sent is deleted. */
function StopButton({ one: { stored } }: { readonly one: RunningPackage }) {
  const { messages } = useTexts({ en, de });
  const api = useApi(calls);
  const { store } = useSendingEnvironment();
  const { dismiss } = useRunningPackages();
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button type="button" className="button button-quiet button-small send-stop" onClick={() => setAsking(true)}>
        {messages.stop}
      </button>
      {asking ? (
        <ConfirmDialog
          title={messages.stopTitle(stored.name)}
          submit={messages.stopSure}
          onClose={() => setAsking(false)}
          onSubmit={async () => {
            await api.call('deletePackage', { params: { package_id: stored.id }, credential: { kind: 'package', token: stored.token } });
            dismiss(stored.id);
            await store.dropPackage(stored.id);
            toast({ text: textIn({ en, de }, ({ messages }) => messages.stopped(stored.name)) });
          }}
        >
          <p>{messages.stopText}</p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}

/** A package that has arrived: its link where there is one, and the way to all about it. */
function Sent({ one: { stored, asLink, teamId }, onDismiss }: { readonly one: RunningPackage; readonly onDismiss: () => void }) {
  const { messages, files, size } = useTexts({ en, de });
  const api = useApi(calls);
  const { sends_mail: sendsMail } = useAccount();
  const links = useQuery({
    queryKey: ['team', teamId, 'package', stored.id, 'links'],
    queryFn: ({ signal }) =>
      api.call('listLinks', { params: { package_id: stored.id }, credential: { kind: 'package', token: stored.token }, signal }),
    enabled: asLink,
  });
  const link = links.data?.find(({ active, email }) => active && email === '');
  return (
    <section className="panel send-done" role="status">
      <div className="send-done-head">
        <span className="receipt-mark">
          <CheckIcon />
        </span>
        <div>
          <h2 dir="auto">{messages.sent(stored.name)}</h2>
          <p className="hint">
            {files(stored.files)}, {size(stored.bytes)}.{' '}
            {asLink ? messages.sentLink : sendsMail === false ? messages.sentUnmailed : messages.sentMail}
          </p>
        </div>
      </div>
      {link ? (
        <div className="send-link">
          <input className="input" readOnly aria-label={messages.link} value={link.url} onFocus={(event) => event.target.select()} />
          <CopyButton text={link.url} label={messages.copyLink} />
        </div>
      ) : null}
      <div className="note-buttons">
        <a className="button button-primary" href={`/t/${teamId}/packages/${stored.id}`}>
          {messages.toPackage}
        </a>
        <button type="button" className="button" onClick={onDismiss}>
          {messages.done}
        </button>
      </div>
    </section>
  );
}
