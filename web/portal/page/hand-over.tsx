import { useAppLink } from '../../common/app-link.ts';
import { GetApp } from '../../common/get-app.tsx';
import { useFormat } from '../../messages/portal.ts';
import { usePageEnvironment } from './environment.ts';

/** The length of an address that every system can pass to another program. */
const longest = 2_000;

interface HandOverFacts {
  readonly baseUrl: string;
  readonly subdomain: string;
  readonly name: string;
  readonly description: string;
  readonly sender: string;
}

/**
 * The address that hands the package to the agent: the service, the Portal and the typed texts. It contains no code and
 * no token, since other programs of the system can see it; the agent asks for what it needs.
 */
export function handOverAddress({ baseUrl, subdomain, name, description, sender }: HandOverFacts): string {
  const address = (withText: boolean): string => {
    const facts = { service: baseUrl, portal: subdomain, name, sender, ...(withText ? { description } : {}) };
    return `longshore://portal-upload?${new URLSearchParams(Object.entries(facts).filter(([, value]) => value !== ''))}`;
  };
  const whole = address(true);
  return whole.length <= longest ? whole : address(false);
}

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
