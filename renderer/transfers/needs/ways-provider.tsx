import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { goTo } from '../../app/route.ts';
import { useTasks } from '../../app/tasks.ts';
import { useSessions } from '../../session/queries.ts';
import { SignInDialog } from '../../session/sign-in-dialog.tsx';
import { useTransferActions } from '../actions/transfer-actions.tsx';
import { TermsDialog } from './terms-dialog.tsx';
import type { Way } from './ways.ts';

type Follow = (transfer: AgentTransfer, way: Way) => void;

const WaysContext = createContext<Follow>(() => undefined);

/** Follows a way out of what a transfer stands in. */
export const useFollow = (): Follow => useContext(WaysContext);

/** A dialog that asks for something stands above the list: the row that it is about may move meanwhile, or go. */
export function WaysProvider({ children }: { readonly children: ReactNode }) {
  const actions = useTransferActions();
  const tasks = useTasks();
  const sessions = useSessions().data ?? [];
  const [open, setOpen] = useState<{ readonly transfer: AgentTransfer; readonly way: Way } | null>(null);
  const follow = useMemo<Follow>(
    () => (transfer, way) => {
      const { id, state, paths, name } = transfer;
      const ask = (): void => setOpen({ transfer, way });
      const deeds: Readonly<Record<Way, () => void>> = {
        again: () => (state === 'error' ? actions.do('retryTransfer', id) : actions.all('tryTransfersNow')),
        finalize: () => actions.do('finalizeTransfer', id),
        sign_in: ask,
        password: ask,
        access_code: ask,
        folder: ask,
        send_again: () => tasks.send({ paths, name }),
        other_link: () => tasks.get(),
        settings: () => goTo({ name: 'settings' }),
        support: () => goTo({ name: 'about' }),
      };
      deeds[way]();
    },
    [actions, tasks],
  );
  const close = (): void => setOpen(null);
  const service = open?.transfer.service_url;
  const ended = sessions.find((one) => one.state === 'ended' && one.service_url === service);
  return (
    <WaysContext value={follow}>
      {children}
      {open?.way === 'sign_in' ? <SignInDialog again={ended ?? null} service={service} onClose={close} /> : null}
      {open?.way === 'password' || open?.way === 'access_code' || open?.way === 'folder' ? (
        <TermsDialog kind={open.way} transfer={open.transfer} onClose={close} />
      ) : null}
    </WaysContext>
  );
}
