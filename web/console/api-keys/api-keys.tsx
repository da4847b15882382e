import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListedApiKey } from '#protocol/hosted/accounts.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { KeyIcon, PlusIcon } from '#ui/icons.tsx';
import { MenuItem } from '#ui/menu.tsx';
import { de } from '../../messages/de/console/api-keys.ts';
import { en } from '../../messages/en/console/api-keys.ts';
import { useAccount, useMay, useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { KeysetList } from '../ui/keyset-list.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { SecretOnce } from '../ui/secret-once.tsx';
import { useToast } from '../ui/toasts.tsx';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { keyCalls, keysKey } from './calls.ts';
import { KeyDialog } from './key-dialog.tsx';
import '../ui/rows.css';

type Open =
  | { readonly action: 'make' }
  | { readonly action: 'edit' | 'delete'; readonly apiKey: ListedApiKey }
  | { readonly action: 'secret'; readonly secret: string }
  | null;

/** A Team's API keys: all of them for owners, for others those that they made. */
export default function ApiKeys() {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const may = useMay();
  const own = !may('api_keys.list');
  const api = useApi(keyCalls);
  const keys = useQuery({
    queryKey: [...keysKey(team.id), { own }],
    queryFn: ({ signal }) => api.call('listApiKeys', { params: { team_id: team.id }, query: { own }, signal }),
  });
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const makeButton = (
    <button type="button" className="button button-primary" onClick={() => setOpen({ action: 'make' })}>
      <PlusIcon /> {messages.make}
    </button>
  );
  return (
    <div className="view">
      <PageHeader title={messages.title} text={own ? messages.textOwn : messages.textAll}>
        {keys.data?.length ? makeButton : null}
      </PageHeader>
      <QueryView query={keys}>
        {(found) =>
          found.length === 0 ? (
            <ViewState icon={<KeyIcon />} title={messages.empty} text={messages.emptyText}>
              {makeButton}
            </ViewState>
          ) : (
            <section className="panel">
              <KeysetList
                label={messages.list}
                items={found.toReversed()}
                keyOf={({ id }) => id}
                rowHeight={70}
                row={(apiKey) => <Row apiKey={apiKey} onOpen={(action) => setOpen({ action, apiKey })} />}
              />
            </section>
          )
        }
      </QueryView>
      {open?.action === 'make' || open?.action === 'edit' ? (
        <KeyDialog
          apiKey={open.action === 'edit' ? open.apiKey : null}
          onMade={(secret) => setOpen({ action: 'secret', secret })}
          // A new key's secret takes the place of the form.
          onClose={() => setOpen((now) => (now?.action === 'secret' ? now : null))}
        />
      ) : null}
      {open?.action === 'delete' ? <DeleteDialog apiKey={open.apiKey} onClose={close} /> : null}
      {open?.action === 'secret' ? (
        <SecretOnce
          title={messages.secretTitle}
          text={messages.secretText}
          label={messages.secret}
          copyLabel={messages.copySecret}
          secret={open.secret}
          use={messages.secretUse}
          done={messages.done}
          onClose={close}
        />
      ) : null}
    </div>
  );
}

type ShownState = ListedApiKey['state'] | 'expired';
const tones: Readonly<Record<ShownState, string>> = { active: 'pill-good', inactive: '', suspended: 'pill-warn', expired: 'pill-bad' };

function stateOf({ state, expiry }: ListedApiKey): ShownState {
  return state === 'active' && expiry !== unsetDateTime && new Date(expiry) <= new Date() ? 'expired' : state;
}

function Row({ apiKey, onOpen }: { readonly apiKey: ListedApiKey; readonly onOpen: (action: 'edit' | 'delete') => void }) {
  const { messages, day, moment, exactly } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const { user } = useAccount();
  const turn = useTurn();
  const { name, description, created_by: maker, last_request_at: used, expiry } = apiKey;
  const state = stateOf(apiKey);
  return (
    <div className="row">
      <div className="row-main">
        <span className="row-name" dir="auto">
          {name}
        </span>
        {description === '' ? null : (
          <span className="row-facts" dir="auto">
            {description}
          </span>
        )}
        <span className="row-facts">
          <span title={used === unsetDateTime ? undefined : exactly(used)}>
            {used === unsetDateTime ? messages.unused : messages.used(moment(used))}
          </span>
          {expiry === unsetDateTime ? null : <span>{messages.expires(day(expiry))}</span>}
          {maker.user_id === user.id ? null : <span dir="auto">{messages.by(maker.name)}</span>}
        </span>
      </div>
      <div className="row-acts">
        <span className={`pill ${tones[state]}`} title={state === 'suspended' ? messages.suspendedHint : undefined}>
          {messages.states[state]}
        </span>
        <MenuButton label={shell.moreFor(name)}>
          {apiKey.state === 'suspended' ? null : (
            <>
              <MenuItem label={messages.edit} onChoose={() => onOpen('edit')} />
              <MenuItem
                label={apiKey.state === 'active' ? messages.turnOff : messages.turnOn}
                onChoose={() => void turn(apiKey, apiKey.state === 'active' ? 'inactive' : 'active')}
              />
            </>
          )}
          <MenuItem label={messages.delete} onChoose={() => onOpen('delete')} />
        </MenuButton>
      </div>
    </div>
  );
}

/** Turns a key on or off at once, and offers the way back. */
function useTurn(): (apiKey: ListedApiKey, action: 'active' | 'inactive') => Promise<void> {
  const team = useTeam();
  const api = useApi(keyCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const fault = useFaultText();
  return async function turn(apiKey, action) {
    try {
      await api.call('setApiKeyState', { params: { api_key_id: apiKey.id, action } });
      const isOff = action === 'inactive';
      toast({
        text: textIn({ en, de }, ({ messages }) => (isOff ? messages.turnedOff : messages.turnedOn)(apiKey.name)),
        undo: () => void turn(apiKey, isOff ? 'active' : 'inactive'),
      });
    } catch (error) {
      toast({ tone: 'bad', text: fault(error) });
    }
    await cache.invalidateQueries({ queryKey: keysKey(team.id) });
  };
}

function DeleteDialog({ apiKey, onClose }: { readonly apiKey: ListedApiKey; readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(keyCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const remove = async () => {
    await api.call('deleteApiKey', { params: { api_key_id: apiKey.id } });
    toast({ text: textIn({ en, de }, ({ messages }) => messages.deleted(apiKey.name)) });
    await cache.invalidateQueries({ queryKey: keysKey(team.id) });
  };
  return (
    <ConfirmDialog title={messages.deleteTitle(apiKey.name)} submit={messages.delete} onSubmit={remove} onClose={onClose}>
      <p>{messages.deleteText}</p>
    </ConfirmDialog>
  );
}
