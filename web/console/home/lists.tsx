import type { TeamOverview } from '#protocol/hosted/overview.ts';
import { ProgressBar } from '#ui/progress-bar.tsx';
import { de } from '../../messages/de/console/home.ts';
import { en } from '../../messages/en/console/home.ts';
import { useTeam } from '../app/account.ts';
import { useTexts } from '../app/texts.ts';
import { programName } from '../ui/program-name.ts';

function PackageLink({ id, name }: { readonly id: string; readonly name: string }) {
  const team = useTeam();
  return (
    <a className="home-name" href={`/t/${team.id}/packages/${id}`} dir="auto">
      {name}
    </a>
  );
}

export function Expiring({ expiring: { total, records } }: Pick<TeamOverview, 'expiring'>) {
  const { messages, size, moment, number } = useTexts({ en, de });
  const { expiring } = messages;
  return (
    <section className="panel">
      <h2>{expiring.title}</h2>
      {records.length === 0 ? (
        <p className="hint">{expiring.none}</p>
      ) : (
        <ul className="home-list">
          {records.map((one) => (
            <li key={one.id}>
              <PackageLink id={one.id} name={one.name} />
              <span className="hint">
                {moment(one.expiry)} · {size(one.size)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {total > records.length ? <p className="hint">{expiring.more(number(total - records.length))}</p> : null}
    </section>
  );
}

export function Downloads({ downloads }: Pick<TeamOverview, 'downloads'>) {
  const { messages, moment } = useTexts({ en, de });
  return (
    <section className="panel">
      <h2>{messages.downloads.title}</h2>
      {downloads.length === 0 ? <p className="hint">{messages.downloads.none}</p> : null}
      <ul className="home-list">
        {downloads.map((one) => (
          <li key={one.id}>
            <PackageLink id={one.package_id} name={one.package_name} />
            <span className="hint" dir="auto">
              {one.email || messages.downloads.somebody} · {programName(one.user_agent)} · {moment(one.started_at)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Transfers({ transfers }: Pick<TeamOverview, 'transfers'>) {
  const { messages, size } = useTexts({ en, de });
  const text = messages.transfers;
  if (transfers.length === 0) return null;
  return (
    <section className="panel">
      <h2>{text.title}</h2>
      <ul className="home-list">
        {transfers.map(({ id, package_id, package_name, cloud_connection_name: connection, direction, state, progress }) => (
          <li key={id}>
            <PackageLink id={package_id} name={package_name} />
            <ProgressBar
              tone={state === 'started' ? 'moving' : 'waiting'}
              label={package_name}
              share={progress.total_bytes > 0 ? Math.min(1, progress.bytes / progress.total_bytes) : 0}
            />
            <span className="hint">
              {text.way[direction](connection)}, {text[state]} · {size(progress.bytes)} / {size(progress.total_bytes)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
