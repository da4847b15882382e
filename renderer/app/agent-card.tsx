import { useStatus } from '../session/queries.ts';

/** The agent and the service behind it, and what the person should know about them. */
export function AgentCard({ live }: { live: boolean }) {
  const { data } = useStatus();
  return (
    <section className="side-card" aria-labelledby="agent-heading">
      <h2 id="agent-heading">Agent</h2>
      <p className="agent-state">
        <span className={live ? 'dot dot-good' : 'dot dot-bad'} aria-hidden="true" />
        {live ? 'Running' : 'Not connected'}
      </p>
      {data ? (
        <>
          <dl className="facts">
            <dt>Service</dt>
            <dd>{data.service_url || 'none set'}</dd>
            <dt>Version</dt>
            <dd>{data.version}</dd>
          </dl>
          {data.warnings.map((warning) => (
            <p key={warning} className="side-warning">
              {warning}
            </p>
          ))}
        </>
      ) : null}
    </section>
  );
}
