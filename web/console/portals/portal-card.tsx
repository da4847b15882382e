import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Portal } from '#protocol/hosted/portals.ts';
import { ModalDialog } from '#ui/dialog.tsx';
import { MenuItem } from '#ui/menu.tsx';
import { QrCode } from '#ui/qr-code.tsx';
import { de } from '../../messages/de/console/portals.ts';
import { en } from '../../messages/en/console/portals.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { useFaultText } from '../ui/fault-text.ts';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { useToast } from '../ui/toasts.tsx';
import { pageOf, portalCalls, portalsKey } from './calls.ts';
import { RequestDialog } from './request-dialog.tsx';

const isOver = (portal: Portal): boolean => portal.expiry_enabled && new Date(portal.expiry).getTime() <= Date.now();

/** One Portal: its address, whether it is open, and what can be done with it. */
export function PortalCard({ portal }: { readonly portal: Portal }) {
  const { messages, day } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const [asked, setAsked] = useState<'request' | 'qr' | 'remove' | null>(null);
  const { toggle, remove } = useChanges(portal);
  const over = isOver(portal);
  const page = pageOf(portal.subdomain);
  const close = (): void => setAsked(null);
  return (
    <li className="panel portal-card-box">
      <div className="portal-card-head">
        <span
          className="portal-swatch"
          style={{ background: portal.primary_color || team.branding.primary_color || 'var(--accent)' }}
          aria-hidden="true"
        />
        <h2 dir="auto">
          <a href={`/t/${team.id}/portals/${portal.id}`}>{portal.name}</a>
        </h2>
        <MenuButton label={shell.moreFor(portal.name)}>
          <MenuItem label={messages.qr} onChoose={() => setAsked('qr')} />
          <MenuItem label={messages.openPage} onChoose={() => window.open(page, '_blank', 'noopener')} />
          <MenuItem label={messages.remove} onChoose={() => setAsked('remove')} />
        </MenuButton>
      </div>
      <p className="portal-address">
        <a className="portal-address-link" href={page} target="_blank" rel="noreferrer">
          {page.replace(/^https?:\/\//, '')}
        </a>
        <CopyButton text={page} label={messages.copyAddress(portal.name)} />
      </p>
      <p className="portal-badges">
        {portal.has_access_code ? <span className="portal-chip">{messages.withCode}</span> : null}
        {portal.custom_metadata ? <span className="portal-chip">{messages.withForm}</span> : null}
        {portal.access_level === 'private' ? <span className="portal-chip">{messages.private}</span> : null}
        {portal.tag ? <span className="portal-chip">{portal.tag.name}</span> : null}
        {portal.expiry_enabled ? <span className="portal-chip">{over ? messages.over : messages.until(day(portal.expiry))}</span> : null}
      </p>
      <div className="portal-card-acts">
        <label className="switch">
          <input
            type="checkbox"
            role="switch"
            aria-checked={portal.active}
            aria-label={messages.switchOn(portal.name)}
            checked={portal.active}
            disabled={toggle.isPending}
            onChange={(event) => toggle.mutate(event.target.checked)}
          />
          <span>{portal.active ? messages.on : messages.off}</span>
        </label>
        <button
          type="button"
          className="button button-small"
          aria-label={messages.requestOf(portal.name)}
          disabled={!portal.active || over}
          title={portal.active && !over ? undefined : messages.closed}
          onClick={() => setAsked('request')}
        >
          {messages.request}
        </button>
      </div>
      {asked === 'request' ? <RequestDialog portal={portal} onClose={close} /> : null}
      {asked === 'qr' ? (
        <ModalDialog title={messages.qrOf(portal.name)} closeLabel={shell.close} className="dialog-small" onLeave={close}>
          <div className="portal-qr">
            <QrCode text={page} label={messages.qrOf(portal.name)} />
            <p className="mono">{page}</p>
            <p className="hint">{messages.qrText}</p>
          </div>
        </ModalDialog>
      ) : null}
      {asked === 'remove' ? (
        <ConfirmDialog
          title={messages.removeTitle(portal.name)}
          submit={messages.remove}
          onSubmit={() => remove.mutateAsync()}
          onClose={close}
        >
          <p>{messages.removeText}</p>
        </ConfirmDialog>
      ) : null}
    </li>
  );
}

function useChanges(portal: Portal) {
  const team = useTeam();
  const api = useApi(portalCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const fault = useFaultText();
  const params = { portal_id: portal.id };
  const reload = () => cache.invalidateQueries({ queryKey: portalsKey(team.id) });
  const toggle = useMutation({
    mutationFn: (active: boolean) => api.call('updatePortal', { params, body: { active } }),
    onSuccess: async ({ active, name }) => {
      await reload();
      toast({ text: textIn({ en, de }, ({ messages }) => (active ? messages.opened(name) : messages.nowClosed(name))) });
    },
    onError: (error) => toast({ text: fault(error), tone: 'bad' }),
  });
  const remove = useMutation({
    mutationFn: () => api.call('deletePortal', { params }),
    onSuccess: async () => {
      await reload();
      toast({ text: textIn({ en, de }, ({ messages }) => messages.removed(portal.name)) });
    },
  });
  return { toggle, remove };
}
