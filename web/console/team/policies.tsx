import { CheckField, SelectField, TextAreaField, TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/team.ts';
import { en } from '../../messages/en/console/team.ts';
import { useTexts } from '../app/texts.ts';
import type { PartProps } from './draft.ts';

const retentions = [30, 90, 180, 365, 730, 1_825, 3_650];

/** What no member can pass, whatever the role. */
export function Policies({ draft, set, errorOf }: PartProps) {
  const { messages, number } = useTexts({ en, de });
  const hasLongest = draft.max_expiry_days !== '0';
  const kept = Number(draft.audit_retention_days);
  return (
    <section className="panel">
      <div>
        <h2>{messages.policies}</h2>
        <p className="hint">{messages.policiesText}</p>
      </div>
      <CheckField
        label={messages.passwordRequired}
        hint={messages.passwordRequiredHint}
        checked={draft.password_required}
        error={errorOf('password_required')}
        onChange={({ target }) => set({ password_required: target.checked })}
      />
      <CheckField
        label={messages.verifyRequired}
        hint={messages.verifyRequiredHint}
        checked={draft.verify_recipient_required}
        onChange={({ target }) => set({ verify_recipient_required: target.checked })}
      />
      <CheckField
        label={messages.noPublicLinks}
        hint={messages.noPublicLinksHint}
        checked={!draft.public_links_allowed}
        onChange={({ target }) => set({ public_links_allowed: !target.checked })}
      />
      <CheckField
        label={messages.mfaRequired}
        hint={messages.mfaRequiredHint}
        checked={draft.mfa_required}
        error={errorOf('mfa_required')}
        onChange={({ target }) => set({ mfa_required: target.checked })}
      />
      <SelectField
        label={messages.viruses}
        hint={messages.virusesHint}
        value={draft.virus_policy}
        error={errorOf('virus_policy')}
        onChange={({ target }) => set({ virus_policy: target.value as PartProps['draft']['virus_policy'] })}
      >
        <option value="warn">{messages.virusWarn}</option>
        <option value="block">{messages.virusBlock}</option>
        <option value="quarantine">{messages.virusQuarantine}</option>
      </SelectField>
      <div className="team-pair">
        <CheckField
          label={messages.longest}
          hint={messages.longestHint}
          checked={hasLongest}
          onChange={({ target }) => set({ max_expiry_days: target.checked ? '90' : '0' })}
        />
        {hasLongest ? (
          <TextField
            label={messages.days}
            type="number"
            min={1}
            value={draft.max_expiry_days}
            error={errorOf('max_expiry_days')}
            onChange={({ target }) => set({ max_expiry_days: target.value })}
          />
        ) : null}
      </div>
      <TextAreaField
        label={messages.domains}
        hint={messages.domainsHint}
        placeholder="example.com"
        value={draft.domains}
        error={errorOf('recipient_domains')}
        spellCheck={false}
        onChange={({ target }) => set({ domains: target.value })}
      />
      <SelectField
        label={messages.retention}
        hint={messages.retentionHint}
        value={draft.audit_retention_days}
        error={errorOf('audit_retention_days')}
        onChange={({ target }) => set({ audit_retention_days: target.value })}
      >
        {[...new Set([...retentions, kept])]
          .filter((days) => days > 0)
          .toSorted((a, b) => a - b)
          .map((days) => (
            <option key={days} value={String(days)}>
              {messages.forDays(number(days), days === 1)}
            </option>
          ))}
        <option value="0">{messages.retentionForEver}</option>
      </SelectField>
    </section>
  );
}
