import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { SsoDomain } from '#protocol/hosted/sso.ts';
import { TextField } from '#ui/field.tsx';
import { MenuItem } from '#ui/menu.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/sso.ts';
import { en } from '../../messages/en/console/sso.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { useFaultSentence, useFaultText } from '../ui/fault-text.ts';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { isSet } from '../ui/is-set.ts';
import { MenuButton } from '../ui/menu-button.tsx';
import { useToast } from '../ui/toasts.tsx';
import { ssoCalls, ssoKey } from './calls.ts';

const pills = { pending: '', verified: 'pill-good', missing: 'pill-warn' } as const;

/** The domains whose people may sign in, each with the TXT record that proves it. */
export function Domains({ domains }: { readonly domains: readonly SsoDomain[] }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(ssoCalls);
  const cache = useQueryClient();
  const fault = useFaultSentence();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setProblem(null);
    try {
      await api.call('addSsoDomain', { params: { team_id: team.id }, body: { domain: typed.trim() } });
      setTyped('');
      await cache.invalidateQueries({ queryKey: ssoKey(team.id) });
    } catch (error) {
      setProblem(fault(error));
    }
  };
  return (
    <section className="panel">
      <div>
        <h2>{messages.domains}</h2>
        <p className="hint">{messages.domainsText}</p>
      </div>
      {domains.length === 0 ? (
        <p className="hint">{messages.noDomains}</p>
      ) : (
        <ul className="plain-rows">
          {domains.map((domain) => (
            <DomainRow key={domain.id} domain={domain} />
          ))}
        </ul>
      )}
      <form className="sso-with-button" noValidate onSubmit={(event) => void add(event)}>
        <TextField
          label={messages.domain}
          placeholder="example.com"
          spellCheck={false}
          autoCapitalize="none"
          value={typed}
          error={problem}
          onChange={({ target }) => setTyped(target.value)}
        />
        <button type="submit" className="button" disabled={typed.trim() === ''}>
          {messages.addDomain}
        </button>
      </form>
    </section>
  );
}

function DomainRow({ domain }: { readonly domain: SsoDomain }) {
  const { messages, moment } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const api = useApi(ssoCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const fault = useFaultText();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ReactNode>(null);
  const [asks, setAsks] = useState(false);
  const params = { team_id: team.id, domain_id: domain.id };
  const check = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      const { state } = await api.call('checkSsoDomain', { params });
      if (state === 'verified') toast({ text: textIn({ en, de }, ({ messages }) => messages.domainVerified(domain.domain)) });
    } catch (error) {
      setProblem(fault(error));
    }
    await cache.invalidateQueries({ queryKey: ssoKey(team.id) });
    setBusy(false);
  };
  return (
    <li className="row">
      <div className="row-main">
        <span className="row-name" dir="auto">
          {domain.domain}
        </span>
        <span className="row-facts">
          <span>
            <span className={`pill ${pills[domain.state]}`}>{messages[domain.state]}</span>
          </span>
          {isSet(domain.checked_at) ? <span>{messages.checked(moment(domain.checked_at))}</span> : null}
        </span>
      </div>
      <div className="row-acts">
        <button
          type="button"
          className="button button-small"
          aria-label={messages.checkFor(domain.domain)}
          disabled={busy}
          onClick={() => void check()}
        >
          {messages.check}
        </button>
        <MenuButton label={shell.moreFor(domain.domain)}>
          <MenuItem label={shell.remove} onChoose={() => setAsks(true)} />
        </MenuButton>
      </div>
      {domain.state === 'verified' ? null : (
        <div className="sso-record sso-row-wide">
          {domain.state === 'missing' ? <Notice tone="warn">{messages.missingText}</Notice> : null}
          <span className="hint">{messages.recordFor(domain.record.name)}</span>
          <div className="secret">
            <span className="mono">{domain.record.value}</span>
            <CopyButton text={domain.record.value} label={`${shell.copy}: ${messages.recordFor(domain.record.name)}`} />
          </div>
        </div>
      )}
      {problem === null ? null : (
        <div className="sso-row-wide">
          <Notice tone="bad">{problem}</Notice>
        </div>
      )}
      {asks ? (
        <ConfirmDialog
          title={messages.removeDomain(domain.domain)}
          submit={shell.remove}
          onSubmit={async () => {
            await api.call('removeSsoDomain', { params });
            await cache.invalidateQueries({ queryKey: ssoKey(team.id) });
          }}
          onClose={() => setAsks(false)}
        >
          <p>{messages.removeDomainText}</p>
        </ConfirmDialog>
      ) : null}
    </li>
  );
}
