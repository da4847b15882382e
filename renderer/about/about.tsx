import { useStatus } from '../session/queries.ts';
import { Notice } from '../ui/notice.tsx';
import { useFaultWords } from '../words/faults.ts';
import { useTongue } from '../words/words.ts';

/** What runs here, and what the agent wants the person to know. */
export function About() {
  const { words } = useTongue();
  const fault = useFaultWords();
  const { data, error } = useStatus();
  return (
    <div className="place-page">
      <h1>{words.about.title}</h1>
      {error ? <Notice tone="bad">{fault(error)}</Notice> : null}
      {data?.warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
      {data ? (
        <dl className="facts">
          <dt>{words.about.version}</dt>
          <dd>{data.version}</dd>
          <dt>{words.about.service}</dt>
          <dd>{data.service_url || words.about.noService}</dd>
        </dl>
      ) : null}
    </div>
  );
}
