import { downloadedText } from '#ui/downloaded-text.ts';
import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { useTexts } from '../app/texts.ts';
import { programName } from '../ui/program-name.ts';
import { QueryView } from '../ui/view-states.tsx';
import type { PackageParts } from './queries.ts';

/** Who started downloads, with what and when. */
export function Downloads({ parts: { downloads } }: { readonly parts: PackageParts }) {
  const { messages, moment, files } = useTexts({ en, de });
  const text = messages.downloads;
  return (
    <section className="panel">
      <h2>{text.title}</h2>
      <QueryView query={downloads}>
        {({ pages }) =>
          pages[0]?.records.length === 0 ? (
            <p className="hint">{text.none}</p>
          ) : (
            <ul className="package-list">
              {pages
                .flatMap(({ records }) => records)
                .map((one) => (
                  <li key={one.id}>
                    <p dir="auto">
                      <strong>{one.email || text.anybody}</strong>{' '}
                      {one.verified ? <span className="pill pill-good">{text.verified}</span> : null}{' '}
                      <span className="hint">{moment(one.started_at)}</span>
                    </p>
                    {one.what ? <p dir="auto">{downloadedText(one.what, text, files)}</p> : null}
                    <p className="hint" dir="auto">
                      {text.by(programName(one.user_agent), one.address)}
                    </p>
                  </li>
                ))}
            </ul>
          )
        }
      </QueryView>
      {downloads.hasNextPage ? (
        <button
          type="button"
          className="button button-small"
          disabled={downloads.isFetchingNextPage}
          onClick={() => void downloads.fetchNextPage()}
        >
          {text.more}
        </button>
      ) : null}
    </section>
  );
}
