import { createContext, type ReactNode, Suspense, useContext, useMemo, useState } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { lazyView } from '../../app/lazy-view.ts';
import { goTo } from '../../app/route.ts';
import { useTasks } from '../../app/tasks.ts';
import { useFormat } from '../../messages/format.ts';
import { useSessions } from '../../session/queries.ts';
import { SignInDialog } from '../../session/sign-in-dialog.tsx';
import { useTransferActions } from '../actions/transfer-actions.tsx';
import { type RemedyAction, remedyActions } from './remedy-actions.ts';

const TermsDialog = lazyView(async () => (await import('./terms-dialog.tsx')).TermsDialog);

type RunRemedy = (transfer: AgentTransfer, action: RemedyAction) => void;

const RemedyContext = createContext<RunRemedy>(() => undefined);

/** Runs a remedy's action for a transfer. */
const useRemedy = (): RunRemedy => useContext(RemedyContext);

/** Runs remedies. Their dialogs are rendered here, above the list, since the transfer's row may move or disappear. */
export function RemedyProvider({ children }: { readonly children: ReactNode }) {
  const actions = useTransferActions();
  const tasks = useTasks();
  const sessions = useSessions().data ?? [];
  const [open, setOpen] = useState<{ readonly transfer: AgentTransfer; readonly action: RemedyAction } | null>(null);
  const run = useMemo<RunRemedy>(
    () => (transfer, action) => {
      const { id, state, paths, name } = transfer;
      const ask = (): void => setOpen({ transfer, action });
      const handlers: Readonly<Record<RemedyAction, () => void>> = {
        retry: () => (state === 'error' ? actions.do('retryTransfer', id) : actions.all('tryTransfersNow')),
        finalize: () => actions.do('finalizeTransfer', id),
        sign_in: ask,
        password: ask,
        code: ask,
        access_code: ask,
        folder: ask,
        send_again: () => tasks.send({ paths, name }),
        other_link: () => tasks.get(),
        settings: () => goTo({ name: 'settings' }),
        support: () => goTo({ name: 'about' }),
      };
      handlers[action]();
    },
    [actions, tasks],
  );
  const close = (): void => setOpen(null);
  const service = open?.transfer.service_url;
  const ended = sessions.find((one) => one.state === 'ended' && one.service_url === service);
  return (
    <RemedyContext value={run}>
      {children}
      {open?.action === 'sign_in' ? <SignInDialog renew={ended ?? null} service={service} onClose={close} /> : null}
      {open?.action === 'password' || open?.action === 'code' || open?.action === 'access_code' || open?.action === 'folder' ? (
        <Suspense>
          <TermsDialog kind={open.action} transfer={open.transfer} onClose={close} />
        </Suspense>
      ) : null}
    </RemedyContext>
  );
}

interface RemedyButtonsProps {
  readonly transfer: AgentTransfer;
  /** Only the first button, as in a row of the list. */
  readonly only?: boolean;
  readonly tabIndex?: number;
}

/** The buttons of a transfer that needs a person. */
export function RemedyButtons({ transfer, only = false, tabIndex }: RemedyButtonsProps) {
  const run = useRemedy();
  const { messages } = useFormat();
  const { actOn, remedyActions: labels } = messages.transfers;
  const all = remedyActions(transfer);
  const label = (action: RemedyAction): string => (action === 'retry' && transfer.state !== 'error' ? messages.app.tryNow : labels[action]);
  return all.slice(0, only ? 1 : all.length).map((action, index) => (
    <button
      key={action}
      type="button"
      className={only ? 'button button-small' : index === 0 ? 'button button-primary' : 'button'}
      tabIndex={tabIndex}
      aria-label={only ? actOn(label(action), transfer.name) : undefined}
      onClick={() => run(transfer, action)}
    >
      {label(action)}
    </button>
  ));
}
