import type { Package } from '#protocol/hosted/packages.ts';
import { hasPassed } from '#ui/has-passed.ts';
import { de } from '../../messages/de/console/packages.ts';
import { en } from '../../messages/en/console/packages.ts';
import { useTeam } from '../app/account.ts';
import { useTexts } from '../app/texts.ts';
import { isSet } from '../ui/is-set.ts';

interface PackageRowProps {
  readonly record: Package;
  readonly selected: boolean;
  /** Absent for those who may not act on packages. */
  readonly onSelect?: () => void;
}

/** One package in a list. */
export function PackageRow({ record, selected, onSelect }: PackageRowProps) {
  const { messages, size, files, moment, number } = useTexts({ en, de });
  const team = useTeam();
  const { row } = messages;
  const { recipients } = record;
  const others = recipients.length > 2 ? row.more(number(recipients.length - 2)) : '';
  const to = recipients.length > 0 ? ` ${row.to(recipients.slice(0, 2).join(', '))}${others}` : '';
  const ended = record.state === 'expired' || record.state === 'archived' || hasPassed(record.expiry);
  const expiry = !isSet(record.expiry) ? row.never : ended ? row.ended(moment(record.expiry)) : row.expires(moment(record.expiry));
  return (
    <div className={selected ? 'package-row package-row-selected' : 'package-row'}>
      {onSelect ? (
        <input type="checkbox" className="package-check" aria-label={row.select(record.name)} checked={selected} onChange={onSelect} />
      ) : null}
      <div className="package-words">
        <a className="package-name" href={`/t/${team.id}/packages/${record.id}`} dir="auto">
          {record.name}
        </a>
        <p className="hint package-who" dir="auto">
          {record.hold ? <span className="pill pill-warn">{row.held}</span> : null}
          {record.portal_id === undefined ? '' : `${record.portal_name || row.through} · `}
          {record.sender}
          {to}
        </p>
      </div>
      {record.contains_virus ? <span className="package-virus">{row.virus}</span> : null}
      {record.tag ? (
        <span className="package-tag" dir="auto">
          {record.tag.name}
        </span>
      ) : null}
      <p className="package-facts hint figure">
        <span>
          {files(record.total_files)}, {size(record.size)}
        </span>
        <span>
          {moment(record.created_at)} · {expiry}
        </span>
      </p>
    </div>
  );
}
