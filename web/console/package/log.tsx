import type { Package } from '#protocol/hosted/packages.ts';
import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { useTexts } from '../app/texts.ts';
import { isSet } from '../ui/is-set.ts';
import { isOver, type PackageParts } from './queries.ts';

/** What happened to a package, as far as its records say, the latest first. */
export function Log({ one, parts: { downloads, transfers } }: { readonly one: Package; readonly parts: PackageParts }) {
  const { messages, moment } = useTexts({ en, de });
  const { log } = messages;
  const events: (readonly [string, string])[] = [
    [one.created_at, log.made],
    ...(one.finalized_at === undefined ? [] : [[one.finalized_at, log.finalized] as const]),
    ...(downloads.data?.pages.flatMap(({ records }) => records) ?? []).map(
      ({ started_at, email }) => [started_at, log.downloaded(email || messages.downloads.anybody)] as const,
    ),
    ...(transfers.data ?? []).map(
      ({ created_at, direction, cloud_connection_name: name }) => [created_at, log.transfer[direction](name)] as const,
    ),
    ...(one.deleted_at !== undefined
      ? [[one.deleted_at, log.deleted] as const]
      : isOver(one) && isSet(one.expiry)
        ? [[one.expiry, log.expired] as const]
        : []),
  ];
  return (
    <section className="panel">
      <h2>{log.title}</h2>
      <ol className="package-log">
        {events
          .toSorted(([a], [b]) => b.localeCompare(a))
          .map(([at, what]) => (
            <li key={`${at} ${what}`}>
              <time className="hint figure" dateTime={at}>
                {moment(at)}
              </time>
              <span dir="auto">{what}</span>
            </li>
          ))}
      </ol>
    </section>
  );
}
