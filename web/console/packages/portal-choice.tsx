import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SelectField, TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/packages.ts';
import { en } from '../../messages/en/console/packages.ts';
import { useTeam } from '../app/account.ts';
import { changeQuery } from '../app/address.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';

const calls = defineCalls({
  listPortals: { method: 'GET', path: '/v1.1/teams/{team_id}/portals', reply: { status: 200 } },
  getPortal: { method: 'GET', path: '/v1/portals/{portal_id}', reply: { status: 200 } },
});

/** Portals in one list; of more the person names some. */
const listed = 50;

/** Which Portal the packages came through. Where a Team has more than a list holds, they are looked for by name. */
export function PortalChoice({ value }: { readonly value: string }) {
  const { messages, number } = useTexts({ en, de });
  const { filter } = messages;
  const team = useTeam();
  const api = useApi(calls);
  const [name, setName] = useState('');
  const wanted = name.trim();
  const portals = useQuery({
    queryKey: ['team', team.id, 'portals', 'choice', wanted],
    queryFn: ({ signal }) =>
      api.call('listPortals', {
        params: { team_id: team.id },
        query: { page: 1, limit: listed, sort: 'name', ...(wanted === '' ? {} : { name: wanted }) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
  const records = portals.data?.records ?? [];
  const isMissing = value !== '' && portals.data !== undefined && !records.some(({ id }) => id === value);
  const chosen = useQuery({
    queryKey: ['team', team.id, 'portals', value, 'name'],
    queryFn: ({ signal }) => api.call('getPortal', { params: { portal_id: value }, signal }),
    enabled: isMissing,
  });
  const total = portals.data?.metadata.total ?? 0;
  if (total === 0 && wanted === '' && value === '') return null;
  const options = [...(isMissing && chosen.data ? [chosen.data] : []), ...records];
  return (
    <>
      {total > listed || wanted !== '' ? (
        <TextField
          label={filter.findPortal}
          type="search"
          value={name}
          hint={filter.foundPortals(number(total), total === 1)}
          onChange={(event) => setName(event.target.value)}
        />
      ) : null}
      <SelectField label={filter.portal} value={value} onChange={(event) => changeQuery({ portal: event.target.value })}>
        <option value="">{filter.any}</option>
        {options.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </SelectField>
    </>
  );
}
