import { useState } from 'react';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { sessionOf } from '../../session/queries.ts';
import type { SendFormProps } from '../team-form.tsx';
import { PortalEntrance } from './portal-entrance.tsx';
import { type OpenedPortal, PortalSender } from './portal-sender.tsx';

/** Sends through a Portal: first the Portal is opened, with its code if needed, then its form is shown. */
export function PortalForm({ sessions, ...form }: SendFormProps & { sessions: readonly SignedIn[] }) {
  const { draft } = form;
  const [opened, setOpened] = useState<OpenedPortal | null>(null);
  const sender = draft.sender || sessionOf(sessions)?.user.email || '';
  return opened ? (
    <PortalSender {...form} opened={opened} firstSender={sender} onOther={() => setOpened(null)} />
  ) : (
    <PortalEntrance draft={draft.portal ?? null} onOpen={setOpened} />
  );
}
