import { type Role, roles } from '#protocol/roles.ts';
import { OptionsField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/members.ts';
import { en } from '../../messages/en/console/members.ts';
import { useMay } from '../app/account.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';

interface RoleFieldProps {
  readonly value: Role;
  readonly onChange: (role: Role) => void;
}

/** The roles that the person may give, each with what it allows. */
export function RoleField({ value, onChange }: RoleFieldProps) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const may = useMay();
  const given = roles.filter((role) => role !== 'owner' || may('owners.manage'));
  return (
    <OptionsField label={messages.role} multiple={false}>
      {given.map((role) => (
        <label key={role} className="check">
          <input type="radio" name="role" value={role} checked={value === role} onChange={() => onChange(role)} />
          <span>
            {shell.roles[role]}
            <span className="hint role-text">{messages.roleTexts[role]}</span>
          </span>
        </label>
      ))}
    </OptionsField>
  );
}
