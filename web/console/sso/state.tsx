import type { Sso } from '#protocol/hosted/sso.ts';
import { CheckField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/sso.ts';
import { en } from '../../messages/en/console/sso.ts';
import { useTexts } from '../app/texts.ts';
import { isSet } from '../ui/is-set.ts';
import type { PartProps } from './draft.ts';

/** Whether it is on, and whether it is the only way in. */
export function State({ draft, set, errorOf, sso }: PartProps & { readonly sso: Sso }) {
  const { messages, moment } = useTexts({ en, de });
  const { connection, domains } = sso;
  const proven = connection && isSet(connection.proven_at) ? connection.proven_at : null;
  const isSame = connection?.issuer === draft.issuer.trim() && connection.client_id === draft.clientId.trim();
  const mayBeOnly = proven !== null && isSame && domains.some(({ state }) => state !== 'pending');
  return (
    <section className="panel">
      <div>
        <h2>{messages.state}</h2>
        <p className="hint">{proven === null ? messages.unproven : messages.proven(moment(proven))}</p>
      </div>
      <CheckField
        label={messages.enabled}
        hint={messages.enabledHint}
        checked={draft.enabled}
        onChange={({ target }) => set({ enabled: target.checked })}
      />
      <CheckField
        label={messages.ssoOnly}
        hint={mayBeOnly || draft.ssoOnly ? messages.ssoOnlyHint : messages.ssoOnlyLocked}
        checked={draft.enabled && draft.ssoOnly}
        disabled={!draft.enabled || !(mayBeOnly || draft.ssoOnly)}
        error={errorOf('sso_only')}
        onChange={({ target }) => set({ ssoOnly: target.checked })}
      />
      {draft.enabled && draft.ssoOnly && !connection?.sso_only ? <Notice tone="warn">{messages.ssoOnlyWarn}</Notice> : null}
    </section>
  );
}
