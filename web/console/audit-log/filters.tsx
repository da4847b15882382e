import { SelectField, TextField } from '#ui/field.tsx';
import { CloseIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/audit-log.ts';
import { en } from '../../messages/en/console/audit-log.ts';
import { changeQuery } from '../app/address.ts';
import { useTexts } from '../app/texts.ts';
import type { AuditFilters } from './filter-names.ts';

/** What the list is narrowed by. Persons and things are chosen in the list itself. */
export function Filters({ filters }: { readonly filters: AuditFilters }) {
  const { messages } = useTexts({ en, de });
  const { action = '', from = '', to = '', actor_id: actor, target_id: target } = filters;
  return (
    <search className="audit-filters" aria-label={messages.filters}>
      <SelectField label={messages.about} value={action} onChange={({ target: { value } }) => changeQuery({ action: value })}>
        <option value="">{messages.everything}</option>
        {Object.entries(messages.kinds).map(([kind, label]) => (
          <option key={kind} value={kind}>
            {label}
          </option>
        ))}
      </SelectField>
      <TextField
        label={messages.from}
        type="date"
        value={from}
        max={to || undefined}
        onChange={({ target: { value } }) => changeQuery({ from: value })}
      />
      <TextField
        label={messages.to}
        type="date"
        value={to}
        min={from || undefined}
        onChange={({ target: { value } }) => changeQuery({ to: value })}
      />
      {actor || target ? (
        <p className="audit-chosen">
          {actor ? <Chosen label={messages.onePerson} onRemove={() => changeQuery({ actor_id: '' })} /> : null}
          {target ? <Chosen label={messages.oneThing} onRemove={() => changeQuery({ target_id: '' })} /> : null}
        </p>
      ) : null}
    </search>
  );
}

function Chosen({ label, onRemove }: { readonly label: string; readonly onRemove: () => void }) {
  const { messages } = useTexts({ en, de });
  return (
    <button type="button" className="button button-small" aria-label={messages.withoutFilter(label)} onClick={onRemove}>
      {label} <CloseIcon />
    </button>
  );
}
