import type { ReactNode } from 'react';
import type { ServiceOverview } from '#protocol/hosted/operator.ts';
import { Notice } from '#ui/notice.tsx';
import { ProgressBar } from '#ui/progress-bar.tsx';
import { de } from '../../messages/de/console/operator.ts';
import { en } from '../../messages/en/console/operator.ts';
import { useTexts } from '../app/texts.ts';
import { useOverview } from './calls.ts';
import { OperatorQuery } from './operator-query.tsx';
import { Queues } from './queues.tsx';
import { Scheduled } from './scheduled.tsx';

/** Of a disk, below which it is said. */
const littleFree = 0.1;

/** How the service is, at a glance. */
export function Overview() {
  const overview = useOverview();
  return (
    <OperatorQuery query={overview}>
      {(service) => (
        <>
          <Health service={service} />
          <Facts service={service} />
          <Versions service={service} />
          <Scheduled jobs={service.jobs.scheduled} />
          <Queues queues={service.jobs.queues} />
        </>
      )}
    </OperatorQuery>
  );
}

interface PartProps {
  readonly service: ServiceOverview;
}

function Health({ service: { problems } }: PartProps) {
  const { messages, number, moment } = useTexts({ en, de });
  return (
    <section className="panel" aria-labelledby="operator-health">
      <div className="panel-head">
        <h2 id="operator-health">{messages.health}</h2>
        {problems.length === 0 ? (
          <span className="pill pill-good">{messages.well}</span>
        ) : (
          <span className="pill pill-bad">{messages.problems(number(problems.length), problems.length === 1)}</span>
        )}
      </div>
      {problems.map(({ code, message, since }) => (
        <Notice key={code} tone="bad">
          {message} <span className="hint">({messages.since(moment(since))})</span>
        </Notice>
      ))}
    </section>
  );
}

/** What there is of one thing, and what of it needs somebody. */
function Fact({ title, value, children }: { readonly title: string; readonly value?: ReactNode; readonly children?: ReactNode }) {
  return (
    <section className="panel operator-fact">
      <h2>{title}</h2>
      {value === undefined ? null : <p className="operator-value">{value}</p>}
      {children}
    </section>
  );
}

function Facts({ service }: PartProps) {
  const { messages, number, size, moment } = useTexts({ en, de });
  const { storage, disks, jobs, mails, transfers, gateways, teams, users, database } = service;
  return (
    <div className="operator-facts">
      <Fact title={messages.storage} value={size(storage.bytes)}>
        <p className="hint">{messages.packages(number(storage.packages), storage.packages === 1)}</p>
        <p className="hint">{messages.storageKinds[storage.kind]}</p>
      </Fact>
      {disks.map((disk) => (
        <Disk key={disk.holds.join()} disk={disk} alone={disks.length === 1} />
      ))}
      <Fact title={messages.jobs}>
        <p>{jobs.oldest_due_at === undefined ? messages.noneDue : messages.waitingSince(moment(jobs.oldest_due_at))}</p>
        {jobs.failed > 0 ? (
          <a className="pill pill-bad" href="/operator/failed">
            {messages.failedJobs(number(jobs.failed), jobs.failed === 1)}
          </a>
        ) : null}
      </Fact>
      <Fact title={messages.mails}>
        <p>
          {mails.waiting === 0 ? messages.noneDue : messages.mailsWaiting(number(mails.waiting), mails.waiting === 1)}
          {mails.oldest_waiting_at === undefined ? null : `, ${messages.since(moment(mails.oldest_waiting_at))}`}
        </p>
        {mails.failed > 0 ? (
          <a className="pill pill-bad" href="/operator/failed?of=mails">
            {messages.failedMails(number(mails.failed), mails.failed === 1)}
          </a>
        ) : null}
        {mails.server ? null : <p className="hint">{messages.noServer}</p>}
      </Fact>
      <Fact title={messages.transfers}>
        <p>{messages.transferCounts(number(transfers.started), number(transfers.pending))}</p>
      </Fact>
      <Fact title={messages.gateways}>
        <p>{messages.gatewayCounts(number(gateways.online), number(gateways.offline))}</p>
      </Fact>
      <Fact title={messages.people}>
        <p>{messages.teamCounts(number(teams.active), number(teams.inactive))}</p>
        <p className="hint">{messages.users(number(users), users === 1)}</p>
      </Fact>
      <Fact title={messages.database} value={size(database.size)}>
        {database.private ? <p className="hint">{messages.privateDatabase}</p> : null}
      </Fact>
    </div>
  );
}

function Disk({ disk: { holds, total, free }, alone }: { readonly disk: ServiceOverview['disks'][number]; readonly alone: boolean }) {
  const { messages, size } = useTexts({ en, de });
  const title = alone ? messages.disks.both : messages.disks[holds.includes('objects') ? 'objects' : 'data'];
  const isLow = free < total * littleFree;
  const text = messages.free(size(free), size(total));
  return (
    <Fact title={title}>
      <ProgressBar share={total === 0 ? 0 : (total - free) / total} label={title} text={text} tone={isLow ? 'bad' : 'moving'} />
      <p>{text}</p>
      {isLow ? <span className="pill pill-bad">{messages.nearlyFull}</span> : null}
    </Fact>
  );
}

function Versions({ service: { versions } }: PartProps) {
  const { messages } = useTexts({ en, de });
  return (
    <section className="panel" aria-labelledby="operator-versions">
      <h2 id="operator-versions">{messages.versions}</h2>
      <dl className="operator-versions">
        {(['service', 'node', 'postgresql', 'schema'] as const).map((name) => (
          <div key={name}>
            <dt className="hint">{messages.version[name]}</dt>
            <dd>{versions[name]}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
