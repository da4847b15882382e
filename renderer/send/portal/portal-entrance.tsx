import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { AgentCallError } from '#client/agent-call-error.ts';
import { TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../../app/context.ts';
import type { PortalDraft } from '../../app/tasks.ts';
import { useFaultText } from '../../messages/fault-text.tsx';
import { type Format, useFormat } from '../../messages/format.ts';
import { isOpenToReaders } from '../../session/service-address.ts';
import { CancelButton } from '../../ui/dialog.tsx';
import { type PortalAddress, portalAddressOf, portalText } from './portal-address.ts';
import type { OpenedPortal } from './portal-sender.tsx';

interface PortalEntranceProps {
  /** The Portal of a deep link. It is filled in; the person opens it. */
  readonly draft: PortalDraft | null;
  /** The address as typed before. */
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
  readonly onOpen: (opened: OpenedPortal) => void;
}

/** A Portal's address, and its access code if it has one. */
export function PortalEntrance({ draft, typed: before, onTyped, onOpen }: PortalEntranceProps) {
  const { client } = useApp();
  const { messages, day } = useFormat();
  const fault = useFaultText();
  const { portal: texts } = messages.send;
  const [typed, setTyped] = useState(before === '' && draft ? portalText(draft) : before);
  const [code, setCode] = useState('');
  const [asksCode, setAsksCode] = useState(false);
  const [addressError, setAddressError] = useState<string | null>(null);

  const open = useMutation({
    mutationFn: ({ service, subdomain }: PortalAddress) =>
      client.call('previewPortal', {
        body: { subdomain, ...(service === null ? {} : { service_url: service }), ...(code ? { access_code: code } : {}) },
      }),
    onSuccess(portal, address) {
      if (closedText(portal, new Date(), { messages, day }) === null) onOpen({ portal, address, code });
    },
    onError(error) {
      if (error instanceof AgentCallError && error.is('access_code_wrong')) setAsksCode(true);
    },
  });
  const begin = (address: PortalAddress | null) => {
    setAddressError(address ? null : texts.addressBad);
    if (address) open.mutate(address);
  };
  const address = portalAddressOf(typed);
  const closed = open.data ? closedText(open.data, new Date(), { messages, day }) : null;
  const problem = open.error ? entranceFault(open.error, code !== '', messages, fault) : null;
  return (
    <form
      className="form"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        begin(address);
      }}
    >
      {problem ? <Notice tone={problem === texts.codeNeeded ? 'plain' : 'bad'}>{problem}</Notice> : null}
      {closed ? <Notice tone="warn">{closed}</Notice> : null}
      <TextField
        label={texts.address}
        required
        autoFocus
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://share.example.com/p/northlight"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          onTyped(event.target.value);
          setAsksCode(false);
          open.reset();
        }}
        hint={texts.addressHint}
        error={addressError}
      />
      {address?.service && isOpenToReaders(address.service) ? <Notice tone="warn">{messages.session.servicePlain}</Notice> : null}
      {asksCode ? (
        <TextField
          label={texts.code}
          type="password"
          required
          autoFocus
          autoComplete="off"
          value={code}
          onChange={(event) => setCode(event.target.value)}
          hint={texts.codeHint}
        />
      ) : null}
      <div className="dialog-actions">
        <CancelButton />
        <button type="submit" className="button button-primary" disabled={open.isPending}>
          {open.isPending ? texts.opening : texts.open}
        </button>
      </div>
    </form>
  );
}

/** Why the Portal is closed at present; null where it is open. */
function closedText(portal: OpenedPortal['portal'], now: Date, { messages, day }: Pick<Format, 'messages' | 'day'>): string | null {
  const { portal: texts } = messages.send;
  if (portal.expiry_enabled && Date.parse(portal.expiry) <= now.getTime()) return texts.expired(day(portal.expiry));
  return portal.active ? null : texts.closed;
}

function entranceFault(error: unknown, triedCode: boolean, { send }: Format['messages'], fault: (error: unknown) => ReactNode): ReactNode {
  if (error instanceof AgentCallError) {
    if (error.is('access_code_wrong')) return triedCode ? send.portal.codeWrong : send.portal.codeNeeded;
    if (error.is('not_found')) return send.portal.missing;
    if (error.is('portal_closed')) return send.portal.closed;
    if (error.is('service_unreachable')) return send.portal.unreachable;
  }
  return fault(error);
}
