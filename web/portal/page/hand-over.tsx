import { useAppLink } from '../../common/app-link.ts';
import { GetApp } from '../../common/get-app.tsx';
import { useFormat } from '../../messages/portal.ts';
import { usePageEnvironment } from './environment.ts';
import { type HandOverFacts, handOverAddress } from './hand-over-address.ts';

export function HandOver(facts: Omit<HandOverFacts, 'baseUrl'>) {
  const { baseUrl } = usePageEnvironment();
  const { messages } = useFormat();
  const { unanswered, downloadUrl: place, ask } = useAppLink(baseUrl);
  return (
    <aside className="hand-over">
      <p>
        <strong>{messages.handOver.title}</strong> {messages.handOver.text}
      </p>
      <a className="button button-small" href={handOverAddress({ baseUrl, ...facts })} onClick={ask}>
        {messages.handOver.open}
      </a>
      <div role="status">
        {unanswered ? (
          <p className="notice">
            {messages.handOver.unanswered(place !== null)}
            <GetApp downloadUrl={place} text={messages.handOver.getApp} />
          </p>
        ) : null}
      </div>
    </aside>
  );
}
