import type { ServiceOverview } from '#protocol/hosted/operator.ts';
import { de } from '../../messages/de/console/operator.ts';
import { en } from '../../messages/en/console/operator.ts';
import { useTexts } from '../app/texts.ts';

const counts = ['queued', 'active', 'deferred', 'failed'] as const;

/** The queue of each kind of job, opened by whoever wants to know. */
export function Queues({ queues }: { readonly queues: ServiceOverview['jobs']['queues'] }) {
  const { messages, number } = useTexts({ en, de });
  return (
    <details className="panel operator-queues">
      <summary>
        <h2>{messages.queues}</h2>
      </summary>
      <p className="hint">{messages.queuesText}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls to the side has to be reached by keyboard */}
      <section className="operator-table" aria-label={messages.queues} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{messages.kind}</th>
              {counts.map((count) => (
                <th key={count} scope="col">
                  {messages[count]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {queues.map((queue) => (
              <tr key={queue.kind}>
                <th scope="row" className="mono">
                  {queue.kind}
                </th>
                {counts.map((count) => (
                  <td key={count}>{number(queue[count])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
