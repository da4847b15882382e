import type { SsoRole } from '#protocol/hosted/sso.ts';
import { roles } from '#protocol/roles.ts';
import { SelectField, TextField } from '#ui/field.tsx';
import { CloseIcon, PlusIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/sso.ts';
import { en } from '../../messages/en/console/sso.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import type { PartProps } from './draft.ts';

const given = roles.filter((role): role is SsoRole => role !== 'owner');

/** Which role somebody arrives with. */
export function Access({ draft, set, errorOf }: PartProps) {
  const { messages } = useTexts({ en, de });
  const { roles: names } = useShellTexts().messages;
  const { groups } = draft;
  const change = (index: number, to: Partial<(typeof groups)[number]>) =>
    set({ groups: groups.map((one, at) => (at === index ? { ...one, ...to } : one)) });
  const problem = errorOf('group_roles');
  return (
    <section className="panel">
      <div>
        <h2>{messages.access}</h2>
        <p className="hint">{messages.accessText}</p>
      </div>
      <TextField
        label={messages.groupClaim}
        hint={messages.groupClaimHint}
        spellCheck={false}
        value={draft.groupClaim}
        error={errorOf('group_claim')}
        onChange={({ target }) => set({ groupClaim: target.value })}
      />
      {groups.map(({ group, role }, index) => (
        <div className="sso-group" key={index}>
          <TextField label={messages.group} value={group} onChange={({ target }) => change(index, { group: target.value })} />
          <SelectField label={messages.role} value={role} onChange={({ target }) => change(index, { role: target.value as SsoRole })}>
            {given.map((one) => (
              <option key={one} value={one}>
                {names[one]}
              </option>
            ))}
          </SelectField>
          <button
            type="button"
            className="button button-quiet button-icon"
            aria-label={messages.removeGroup(group)}
            onClick={() => set({ groups: groups.filter((_, at) => at !== index) })}
          >
            <CloseIcon />
          </button>
        </div>
      ))}
      {problem === null ? null : <Notice tone="bad">{problem}</Notice>}
      <div className="sso-acts">
        <button type="button" className="button" onClick={() => set({ groups: [...groups, { group: '', role: 'member' }] })}>
          <PlusIcon /> {messages.addGroup}
        </button>
      </div>
      {groups.length > 0 ? <p className="hint">{messages.groupsText}</p> : null}
      <SelectField
        label={messages.defaultRole}
        value={draft.defaultRole}
        onChange={({ target }) => set({ defaultRole: target.value as SsoRole | 'none' })}
      >
        {given.map((one) => (
          <option key={one} value={one}>
            {names[one]}
          </option>
        ))}
        <option value="none">{messages.nobody}</option>
      </SelectField>
    </section>
  );
}
