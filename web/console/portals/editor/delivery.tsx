import { useQuery } from '@tanstack/react-query';
import { limits } from '#protocol/limits.ts';
import { CheckField, OptionsField, SelectField, TextField } from '#ui/field.tsx';
import { de } from '../../../messages/de/console/portal-editor.ts';
import { en } from '../../../messages/en/console/portal-editor.ts';
import { useTeam } from '../../app/account.ts';
import { defineCalls, useApi } from '../../app/api.ts';
import { useTexts } from '../../app/texts.ts';
import { ListField } from './list-field.tsx';
import { bind, Section, type SettingsProps } from './section.tsx';

const calls = defineCalls({
  listTags: { method: 'GET', path: '/v1/teams/{team_id}/tags', reply: { status: 200 } },
  listTeamspaces: { method: 'GET', path: '/v1.1/teams/{team_id}/spaces', reply: { status: 200 } },
  listMembers: { method: 'GET', path: '/v1/teams/{team_id}/members', reply: { status: 200 } },
});

/** Who is told of packages, how long they are kept, where they stand, and who sees them. */
export function Delivery(props: SettingsProps) {
  const { messages } = useTexts({ en, de });
  const { draft, change } = props;
  const { text, check, error } = bind(props);
  const team = useTeam();
  const api = useApi(calls);
  const params = { team_id: team.id };
  const tags = useQuery({
    queryKey: ['team', team.id, 'tags', 'choice'],
    queryFn: ({ signal }) => api.call('listTags', { params, signal }),
  });
  const spaces = useQuery({
    queryKey: ['team', team.id, 'teamspaces', 'choice'],
    queryFn: ({ signal }) => api.call('listTeamspaces', { params, query: { page: 0, limit: limits.pageSize }, signal }),
  });
  const days = draft.custom_expiry_days;
  const keep = days === 0 ? 'team' : days < 0 ? 'ever' : 'days';
  return (
    <Section title={messages.sections.delivery}>
      <ListField
        label={messages.recipients}
        hint={messages.recipientsHint}
        error={error('recipients')}
        value={draft.recipients}
        onChange={(recipients) => change({ recipients })}
      />
      <ListField
        label={messages.copies}
        hint=""
        error={error('cc_recipients')}
        value={draft.cc_recipients}
        onChange={(addresses) => change({ cc_recipients: addresses })}
      />
      <CheckField
        label={messages.password}
        {...check('has_download_password')}
        onChange={(event) => change({ has_download_password: event.target.checked, download_password: '' })}
      />
      {draft.has_download_password ? (
        <TextField
          label={messages.passwordText}
          hint={messages.passwordHint}
          type="password"
          autoComplete="new-password"
          maxLength={limits.passwordLength.max}
          {...text('download_password')}
        />
      ) : null}
      <SelectField
        label={messages.keep}
        value={keep}
        onChange={(event) => change({ custom_expiry_days: { team: 0, ever: -1, days: 30 }[event.target.value] ?? 0 })}
      >
        <option value="team">{messages.keepTeam}</option>
        <option value="days">{messages.keepDays}</option>
        <option value="ever">{messages.keepEver}</option>
      </SelectField>
      {keep === 'days' ? (
        <TextField
          label={messages.days}
          type="number"
          min={1}
          max={limits.portalExpiryDays.max}
          error={error('custom_expiry_days')}
          value={String(days)}
          onChange={(event) => change({ custom_expiry_days: Math.max(1, Math.round(Number(event.target.value))) })}
        />
      ) : null}
      <SelectField
        label={messages.teamspace}
        error={error('teamspace_id')}
        value={draft.teamspace_id}
        onChange={(event) => change({ teamspace_id: event.target.value })}
      >
        <option value="">{messages.none}</option>
        {spaces.data?.records.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={messages.tag}
        error={error('tag')}
        value={draft.tag?.id ?? ''}
        onChange={(event) => change({ tag: tags.data?.find(({ id }) => id === event.target.value) })}
      >
        <option value="">{messages.none}</option>
        {(tags.data ?? (draft.tag ? [draft.tag] : [])).map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={messages.who}
        value={draft.access_level}
        onChange={(event) => change({ access_level: event.target.value === 'private' ? 'private' : 'regular' })}
      >
        <option value="regular">{messages.regular}</option>
        <option value="private">{messages.private}</option>
      </SelectField>
      {draft.access_level === 'private' ? <AccessList {...props} /> : null}
    </Section>
  );
}

function AccessList({ draft, faults, change }: SettingsProps) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(calls);
  const members = useQuery({
    queryKey: ['team', team.id, 'members', 'choice'],
    queryFn: ({ signal }) => api.call('listMembers', { params: { team_id: team.id }, signal }),
  });
  return (
    <OptionsField label={messages.people} error={faults['access_list'] ?? null} multiple>
      {members.data?.flatMap(({ user_id: id, name, email }) =>
        id === undefined
          ? []
          : [
              <label key={id} className="check" dir="auto">
                <input
                  type="checkbox"
                  checked={draft.access_list.includes(id)}
                  onChange={(event) =>
                    change({
                      access_list: event.target.checked ? [...draft.access_list, id] : draft.access_list.filter((one) => one !== id),
                    })
                  }
                />
                <span>
                  {name} <span className="hint">{email}</span>
                </span>
              </label>,
            ],
      )}
    </OptionsField>
  );
}
