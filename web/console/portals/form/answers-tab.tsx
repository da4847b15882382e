import { useInfiniteQuery } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { refusal } from '#client/refusals.ts';
import type { AnsweredForm } from '#protocol/hosted/form-answers.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import { DownloadIcon, FormIcon } from '#ui/icons.tsx';
import { de } from '../../../messages/de/console/portal-editor.ts';
import { en } from '../../../messages/en/console/portal-editor.ts';
import { useTeam } from '../../app/account.ts';
import { defineCalls, TransportContext, useApi } from '../../app/api.ts';
import { countedUpTo, uncounted, useCountText } from '../../app/counted.ts';
import { useTexts } from '../../app/texts.ts';
import { answerText } from '../../ui/answer-text.ts';
import { useFaultText } from '../../ui/fault-text.ts';
import { useToast } from '../../ui/toasts.tsx';
import { QueryView, ViewState } from '../../ui/view-states.tsx';
import { portalsKey } from '../calls.ts';

const calls = defineCalls({
  listFormAnswers: { method: 'GET', path: '/v1/portals/{portal_id}/form/responses', reply: { status: 200 } },
});

const pageSize = 25;

/** What senders answered, as a table and as a CSV. */
export default function AnswersTab({ portal }: { readonly portal: Portal }) {
  const { messages, number, moment } = useTexts({ en, de });
  const texts = messages.answers;
  const team = useTeam();
  const api = useApi(calls);
  const countText = useCountText();
  const csv = useCsv(portal);
  const answers = useInfiniteQuery({
    queryKey: [...portalsKey(team.id), portal.id, 'answers'],
    initialPageParam: '',
    queryFn: ({ pageParam: after, signal }) =>
      api.call('listFormAnswers', {
        params: { portal_id: portal.id },
        query: { page: 1, limit: pageSize, count_up_to: after === '' ? countedUpTo : uncounted, ...(after && { after }) },
        signal,
      }),
    getNextPageParam: ({ next }) => next || undefined,
  });
  return (
    <QueryView query={answers}>
      {({ pages }) => {
        const records = pages.flatMap((page) => page.records);
        const columns = columnsOf(records);
        if (records.length === 0) return <ViewState icon={<FormIcon />} title={texts.none} text={texts.noneText} />;
        return (
          <section className="panel">
            <div className="panel-head">
              <p className="hint">{texts.count(number(records.length), countText(pages[0]!.metadata))}</p>
              <button type="button" className="button button-small" disabled={csv.busy} onClick={() => void csv.download()}>
                <DownloadIcon /> {texts.csv}
              </button>
            </div>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
            <section className="answers-scroll" aria-label={texts.table} tabIndex={0}>
              <table className="answers-table">
                <thead>
                  <tr>
                    <th scope="col">{texts.package}</th>
                    <th scope="col">{texts.sender}</th>
                    <th scope="col">{texts.when}</th>
                    {columns.map(({ name, label }) => (
                      <th key={name} scope="col" dir="auto">
                        {label || name}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {records.map((one) => (
                    <tr key={one.id}>
                      <td dir="auto">
                        <a href={`/t/${team.id}/packages/${one.package_id}`}>{one.package_name}</a>
                      </td>
                      <td dir="auto">{one.sender}</td>
                      <td>{moment(one.created_at)}</td>
                      {columns.map(({ name }) => (
                        <td key={name} dir="auto">
                          {answerText(Object.hasOwn(one.values, name) ? one.values[name]!.value : '', texts)}
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
            {answers.hasNextPage ? (
              <button
                type="button"
                className="button portal-more"
                disabled={answers.isFetchingNextPage}
                onClick={() => void answers.fetchNextPage()}
              >
                {texts.more}
              </button>
            ) : null}
          </section>
        );
      }}
    </QueryView>
  );
}

/** Every field of the answers, with its newest label, in the order of the newest form; older fields stand behind. */
export function columnsOf(records: readonly Pick<AnsweredForm, 'fields'>[]): { readonly name: string; readonly label: string }[] {
  const columns = new Map<string, string>();
  for (const { fields } of records) {
    for (const { name, label } of fields.toSorted((a, b) => a.position - b.position)) if (!columns.has(name)) columns.set(name, label);
  }
  return [...columns].map(([name, label]) => ({ name, label }));
}

/** The answers as the service writes them into a CSV, saved by the browser. */
function useCsv(portal: Portal): { readonly busy: boolean; readonly download: () => Promise<void> } {
  const transport = useContext(TransportContext);
  const toast = useToast();
  const fault = useFaultText();
  const [busy, setBusy] = useState(false);
  const download = async (): Promise<void> => {
    if (!transport) return;
    setBusy(true);
    try {
      const service = transport.baseUrl;
      const reply = await transport.fetcher({
        service,
        method: 'GET',
        url: `${service}/v1/portals/${portal.id}/form/responses/csv`,
        headers: { accept: 'text/csv' },
      });
      if (reply.status !== 200) throw refusal(reply);
      const link = document.createElement('a');
      // Reading a text takes its byte order mark away, by which spreadsheets know that it is UTF-8.
      link.href = URL.createObjectURL(new Blob(['\uFEFF', reply.text.replace(/^\uFEFF/, '')], { type: 'text/csv' }));
      link.download = `${portal.subdomain}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } catch (error) {
      toast({ text: fault(error), tone: 'bad' });
    } finally {
      setBusy(false);
    }
  };
  return { busy, download };
}
