import { useQuery } from '@tanstack/react-query';
import { useApp } from '../app/context.ts';
import { hrefOf } from '../app/route.ts';
import { Notice } from '../ui/notice.tsx';
import { useFaultWords } from '../words/faults.ts';
import { useSpeaking } from '../words/speaking.ts';

/** What was sent and received, newest first. */
export function History() {
  const { words, moment, size } = useSpeaking();
  const fault = useFaultWords();
  const { client } = useApp();
  const { data, error } = useQuery({
    queryKey: ['history'],
    queryFn: ({ signal }) =>
      client.call('listTransfers', { query: { state: ['complete', 'cancelled', 'error'], sort: '-created_at', limit: 100 }, signal }),
  });
  return (
    <div className="place-page">
      <h1>{words.history.title}</h1>
      {error ? <Notice tone="bad">{fault(error)}</Notice> : null}
      {data?.records.length === 0 ? <p className="hint">{words.history.empty}</p> : null}
      <ul className="history">
        {data?.records.map((one) => (
          <li key={one.id}>
            <a href={hrefOf({ place: 'transfer', id: one.id })}>{one.name}</a> <span>{size(one.total_bytes)}</span>{' '}
            <span>{moment(one.finished_at ?? one.updated_at)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
