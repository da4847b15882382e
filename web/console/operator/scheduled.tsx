import type { ServiceOverview } from '#protocol/hosted/operator.ts';
import { de } from '../../messages/de/console/operator.ts';
import { en } from '../../messages/en/console/operator.ts';
import { useTexts } from '../app/texts.ts';

type Job = ServiceOverview['jobs']['scheduled'][number];

/** Whether it has not been done since it failed. */
const stillFails = ({ ran_at: ranAt, failed }: Job): boolean =>
  failed !== undefined && (ranAt === undefined || Date.parse(ranAt) < Date.parse(failed.at));

/** Jobs that come by themselves: when each was done last, and why it failed last. Open where one fails. */
export function Scheduled({ jobs }: { readonly jobs: readonly Job[] }) {
  const { messages, number, moment } = useTexts({ en, de });
  const failing = jobs.filter(stillFails).length;
  return (
    <details className="panel operator-queues" open={failing > 0 || undefined}>
      <summary>
        <h2>{messages.scheduled}</h2>{' '}
        {failing > 0 ? <span className="pill pill-bad">{messages.failing(number(failing), failing === 1)}</span> : null}
      </summary>
      <p className="hint">{messages.scheduledText}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls to the side has to be reached by keyboard */}
      <section className="operator-table operator-words" aria-label={messages.scheduled} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{messages.kind}</th>
              <th scope="col">{messages.schedule}</th>
              <th scope="col">{messages.ran}</th>
              <th scope="col">{messages.failedLast}</th>
            </tr>
          </thead>
          <tbody>
            {jobs.map((job) => (
              <tr key={job.kind}>
                <th scope="row" className="mono">
                  {job.kind}
                </th>
                <td className="mono">{job.schedule}</td>
                <td>{job.ran_at === undefined ? messages.neverRan : moment(job.ran_at)}</td>
                <td className="operator-reason">
                  {job.failed === undefined ? '' : `${moment(job.failed.at)}: ${job.failed.reason || messages.unknownReason}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
