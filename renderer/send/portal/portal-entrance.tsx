import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { AgentFailure } from '../../agent/failure.ts';
import { useApp } from '../../app/context.ts';
import type { PortalDraft } from '../../app/tasks.ts';
import { useFaultWords } from '../../messages/faults.tsx';
import { type Speaking, useSpeaking } from '../../messages/speaking.ts';
import { isOpenToReaders } from '../../session/service-address.ts';
import { CancelButton } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { type PortalAddress, portalAddressOf, portalText } from './portal-address.ts';
import type { OpenedPortal } from './portal-sender.tsx';

interface PortalEntranceProps {
  /** The Portal of a deep link. It is filled in; the person opens it. */
  readonly draft: PortalDraft | null;
  readonly onOpen: (opened: OpenedPortal) => void;
}

/** A Portal's address, and its access code if it has one. */
export function PortalEntrance({ draft, onOpen }: PortalEntranceProps) {
  const { client } = useApp();
  const { messages, day } = useSpeaking();
  const fault = useFaultWords();
  const { portal: say } = messages.send;
  const [typed, setTyped] = useState(draft ? portalText(draft) : '');
  const [code, setCode] = useState('');
  const [asksCode, setAsksCode] = useState(false);
  const [addressError, setAddressError] = useState<string | null>(null);

  const open = useMutation({
    mutationFn: ({ service, subdomain }: PortalAddress) =>
      client.call('previewPortal', {
        body: { subdomain, ...(service === null ? {} : { service_url: service }), ...(code ? { access_code: code } : {}) },
      }),
    onSuccess(portal, address) {
      if (closedWords(portal, new Date(), { messages, day }) === null) onOpen({ portal, address, code });
    },
    onError(error) {
      if (error instanceof AgentFailure && error.is('access_code_wrong')) setAsksCode(true);
    },
  });
  const begin = (address: PortalAddress | null) => {
    setAddressError(address ? null : say.addressBad);
    if (address) open.mutate(address);
  };
  const address = portalAddressOf(typed);
  const closed = open.data ? closedWords(open.data, new Date(), { messages, day }) : null;
  const problem = open.error ? entranceFault(open.error, code !== '', messages, fault) : null;
  return (
    <form
      className="form"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        begin(address);
      }}
    >
      {problem ? <Notice tone={problem === say.codeNeeded ? 'plain' : 'bad'}>{problem}</Notice> : null}
      {closed ? <Notice tone="warn">{closed}</Notice> : null}
      <TextField
        label={say.address}
        required
        autoFocus
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://share.example.com/p/northlight"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAsksCode(false);
          open.reset();
        }}
        hint={say.addressHint}
        error={addressError}
      />
      {address?.service && isOpenToReaders(address.service) ? <Notice tone="warn">{messages.session.servicePlain}</Notice> : null}
      {asksCode ? (
        <TextField
          label={say.code}
          type="password"
          required
          autoFocus
          autoComplete="off"
          value={code}
          onChange={(event) => setCode(event.target.value)}
          hint={say.codeHint}
        />
      ) : null}
      <div className="dialog-actions">
        <CancelButton />
        <button type="submit" className="button button-primary" disabled={open.isPending}>
          {open.isPending ? say.opening : say.open}
        </button>
      </div>
    </form>
  );
}

/** Why the Portal is closed at present; null where it is open. */
function closedWords(portal: OpenedPortal['portal'], now: Date, { messages, day }: Pick<Speaking, 'messages' | 'day'>): string | null {
  const { portal: say } = messages.send;
  if (portal.expiry_enabled && Date.parse(portal.expiry) <= now.getTime()) return say.expired(day(portal.expiry));
  return portal.active ? null : say.closed;
}

function entranceFault(
  error: unknown,
  triedCode: boolean,
  { send }: Speaking['messages'],
  fault: (error: unknown) => ReactNode,
): ReactNode {
  if (error instanceof AgentFailure) {
    if (error.is('access_code_wrong')) return triedCode ? send.portal.codeWrong : send.portal.codeNeeded;
    if (error.is('not_found')) return send.portal.missing;
    if (error.is('portal_closed')) return send.portal.closed;
    if (error.is('service_unreachable')) return send.portal.unreachable;
  }
  return fault(error);
}
