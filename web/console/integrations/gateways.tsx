import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { ServerIcon } from '#ui/icons.tsx';
import { MenuItem } from '#ui/menu.tsx';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { useToast } from '../ui/toasts.tsx';
import { useSentences } from '../ui/use-sentences.ts';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { connectionsKey, gatewaysKey, integrationCalls, useConnections, useGateways } from './calls.ts';

/** The agents that reach storage which the service cannot, each with its mounts. */
export function Gateways() {
  const { messages, number, moment } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const gateways = useGateways();
  const translate = useSentences();
  const connections = useConnections();
  const [removed, setRemoved] = useState<{ readonly id: string; readonly name: string } | null>(null);
  return (
    <section className="panel" aria-labelledby="gateways">
      <h2 id="gateways">{messages.gateways}</h2>
      <QueryView query={gateways}>
        {(found) =>
          found.length === 0 ? (
            <ViewState icon={<ServerIcon />} title={messages.noGateways} text={messages.noGatewaysText} />
          ) : (
            <ul className="plain-rows">
              {found.map((gateway) => {
                const mounts = connections.data?.filter((one) => one.storage_gateway_id === gateway.id) ?? [];
                const seen = gateway.last_seen_at;
                return (
                  <li key={gateway.id} className="row">
                    <div className="row-main">
                      <span className="row-name" dir="auto">
                        {gateway.name}
                      </span>
                      <span className="row-facts">
                        <span>
                          {gateway.platform} {gateway.version}
                        </span>
                        <span>{messages.mounts(number(mounts.length), mounts.length === 1)}</span>
                        <span>{seen === unsetDateTime ? messages.never : messages.seen(moment(seen))}</span>
                      </span>
                      {mounts.map((mount) => (
                        <span key={mount.id} className="row-facts" dir="auto">
                          {mount.name}: {messages.states[mount.state]}
                          {mount.state_message === '' ? null : ` · ${translate(mount.state_message)}`}
                        </span>
                      ))}
                    </div>
                    <div className="row-acts">
                      <span className={`pill ${gateway.state === 'online' ? 'pill-good' : 'pill-warn'}`}>{messages[gateway.state]}</span>
                      <MenuButton label={shell.moreFor(gateway.name)}>
                        <MenuItem label={messages.gatewayRemove} onChoose={() => setRemoved(gateway)} />
                      </MenuButton>
                    </div>
                  </li>
                );
              })}
            </ul>
          )
        }
      </QueryView>
      {removed ? <RemoveDialog gateway={removed} onClose={() => setRemoved(null)} /> : null}
    </section>
  );
}

interface RemoveDialogProps {
  readonly gateway: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

function RemoveDialog({ gateway, onClose }: RemoveDialogProps) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(integrationCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const remove = async () => {
    await api.call('deleteStorageGateway', { params: { storage_gateway_id: gateway.id } });
    toast({ text: textIn({ en, de }, ({ messages }) => messages.removed(gateway.name)) });
    await cache.invalidateQueries({ queryKey: gatewaysKey(team.id) });
    await cache.invalidateQueries({ queryKey: connectionsKey(team.id) });
  };
  return (
    <ConfirmDialog title={messages.removeTitle(gateway.name)} submit={messages.gatewayRemove} onSubmit={remove} onClose={onClose}>
      <p>{messages.gatewayRemoveText}</p>
    </ConfirmDialog>
  );
}
