import { useQuery } from '@tanstack/react-query';
import { SelectField, TextField } from '#ui/field.tsx';
import { DownloadIcon, PackageIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/usage.ts';
import { en } from '../../messages/en/console/usage.ts';
import { useTeam } from '../app/account.ts';
import { changeQuery, useAddress } from '../app/address.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { useSaveFile } from '../ui/save-file.ts';
import { useToast } from '../ui/toasts.tsx';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import './usage.css';

const calls = defineCalls({
  getUsage: { method: 'GET', path: '/v1/teams/{team_id}/usage', reply: { status: 200 } },
});

const groups = ['member', 'teamspace', 'portal'] as const;

/** Days of the longest period that the service counts in one answer (docs/contract/teams-and-members.md §8). */
const maxDays = 366;
const dayLength = 24 * 3_600_000;

/** Whether more days lie between two dates than can be asked for; without an end, up to now. */
function isTooLong(from: string, to: string): boolean {
  const end = to === '' ? Date.now() : Date.parse(to) + dayLength;
  return end - Date.parse(from) > maxDays * dayLength;
}

/** What was sent and received in a time, by whom. */
export default function Usage() {
  const { messages, number, size } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(calls);
  const save = useSaveFile();
  const toast = useToast();
  const fault = useFaultText();
  const { query } = useAddress();
  const by = groups.find((group) => group === query.get('by')) ?? 'member';
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  const asked = { by, ...(from !== '' && { from }), ...(to !== '' && { to }) };
  const tooLong = isTooLong(from, to);
  const usage = useQuery({
    enabled: !tooLong,
    queryKey: ['team', team.id, 'usage', asked],
    queryFn: ({ signal }) => api.call('getUsage', { params: { team_id: team.id }, query: asked, signal }),
  });
  const exportCsv = async (): Promise<void> => {
    try {
      await save(`/v1/teams/${team.id}/usage/export.csv?${new URLSearchParams(asked)}`, `usage-${by}.csv`);
    } catch (error) {
      toast({ text: fault(error), tone: 'bad' });
    }
  };
  return (
    <div className="view">
      <PageHeader title={messages.title} text={messages.text} back={{ href: `/t/${team.id}/team`, label: messages.team }}>
        <button type="button" className="button" disabled={tooLong} onClick={() => void exportCsv()}>
          <DownloadIcon /> {messages.csv}
        </button>
      </PageHeader>
      <search className="usage-filters" aria-label={messages.title}>
        <SelectField label={messages.by} value={by} onChange={({ target }) => changeQuery({ by: target.value })}>
          {groups.map((group) => (
            <option key={group} value={group}>
              {messages.groups[group]}
            </option>
          ))}
        </SelectField>
        <TextField
          label={messages.from}
          type="date"
          value={from}
          error={tooLong ? messages.tooLong(number(maxDays)) : null}
          onChange={({ target }) => changeQuery({ from: target.value })}
        />
        <TextField label={messages.to} type="date" value={to} onChange={({ target }) => changeQuery({ to: target.value })} />
      </search>
      {tooLong ? null : (
        <QueryView query={usage}>
          {({ records }) =>
            records.length === 0 ? (
              <ViewState icon={<PackageIcon />} title={messages.empty} text={messages.emptyText} />
            ) : (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls to the side has to be reached by keyboard
              <section className="panel usage-table" aria-label={messages.title} tabIndex={0}>
                <table>
                  <thead>
                    <tr>
                      <th scope="col">{messages.groups[by]}</th>
                      <th scope="col">{messages.sent}</th>
                      <th scope="col">{messages.received}</th>
                      <th scope="col">{messages.bytes}</th>
                      <th scope="col">{messages.downloaded}</th>
                      <th scope="col">{messages.notDownloaded}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {records.map((record) => {
                      const all = record.sent_packages + record.received_packages;
                      return (
                        <tr key={record.id ?? ''}>
                          <th scope="row" dir="auto">
                            {record.name || messages.none}
                            {record.email === undefined ? null : <span className="hint usage-email"> {record.email}</span>}
                          </th>
                          <td data-label={messages.sent}>{number(record.sent_packages)}</td>
                          <td data-label={messages.received}>{number(record.received_packages)}</td>
                          <td data-label={messages.bytes}>{size(record.sent_bytes + record.received_bytes)}</td>
                          <td data-label={messages.downloaded}>{number(record.downloaded_packages)}</td>
                          <td data-label={messages.notDownloaded}>{number(all - record.downloaded_packages)}</td>
                        </tr>
                      );
                    })}
                  </tbody>
                </table>
              </section>
            )
          }
        </QueryView>
      )}
    </div>
  );
}
