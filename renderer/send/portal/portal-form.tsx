import { useState } from 'react';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import type { SendDraft } from '../../app/tasks.ts';
import { sessionOf } from '../../session/queries.ts';
import type { SendFormProps } from '../team-form.tsx';
import { PortalEntrance } from './portal-entrance.tsx';
import { type OpenedPortal, PortalSender } from './portal-sender.tsx';

interface PortalFormProps extends SendFormProps {
  /** What the form was opened with, e.g. by a deep link. */
  readonly opened: SendDraft;
  readonly sessions: readonly SignedIn[];
}

/** Sends through a Portal: first the Portal is opened, with its code if needed, then its form is shown. */
export function PortalForm({ sessions, opened: asked, ...form }: PortalFormProps) {
  const { draft, change } = form;
  const [opened, setOpened] = useState<OpenedPortal | null>(null);
  const sender = asked.sender || sessionOf(sessions)?.user.email || '';
  return opened ? (
    <PortalSender {...form} opened={opened} firstSender={sender} onOther={() => setOpened(null)} />
  ) : (
    <PortalEntrance draft={asked.portal ?? null} typed={draft.portal} onTyped={(portal) => change({ portal })} onOpen={setOpened} />
  );
}
