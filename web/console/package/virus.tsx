import type { File } from '#protocol/hosted/files.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { useTexts } from '../app/texts.ts';
import type { PackageParts } from './queries.ts';

/** Names that a notice shows; the list of files has all of them, in folders that may be closed. */
const maxNames = 5;

/**
 * That a virus was found in files of a package, or that some are damaged. What follows from a virus is the Team's policy,
 * which the service holds.
 */
export function FindingNotices({ one, parts }: { readonly one: Package; readonly parts: PackageParts }) {
  const { messages, files } = useTexts({ en, de });
  const list = parts.files.data ?? [];
  const infected = list.filter(({ kind, virus_detected }) => kind === 'file' && virus_detected);
  const damaged = list.filter((file) => file.damaged);
  return (
    <>
      {one.contains_virus ? (
        <Notice tone="bad">
          <p>{messages.virusNotice}</p>
          <Names files={infected} />
        </Notice>
      ) : null}
      {damaged.length > 0 ? (
        <Notice tone="bad">
          <p>{messages.damagedNotice(files(damaged.length))}</p>
          <Names files={damaged} />
        </Notice>
      ) : null}
    </>
  );
}

function Names({ files }: { readonly files: readonly File[] }) {
  const { messages, number } = useTexts({ en, de });
  if (files.length === 0) return null;
  const names = files.slice(0, maxNames).map(({ path, name }) => (path === '' ? name : `${path}/${name}`));
  const shown = names.join(', ');
  return <p dir="auto">{files.length > maxNames ? messages.andMore(shown, number(files.length - maxNames)) : shown}</p>;
}
