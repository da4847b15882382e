import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice } from '#ui/notice.tsx';
import { useFormat } from '../messages/format.ts';
import { type Licence, licencesFile } from './licence.ts';
import { useAboutTexts } from './texts.ts';

/** The licences of the packages that are shipped with Longshore. */
export function Licences() {
  const { number } = useFormat();
  const { licences: texts } = useAboutTexts();
  const [shown, setShown] = useState(false);
  const { data, error } = useQuery({
    queryKey: ['licences'],
    enabled: shown,
    retry: false,
    // A static file next to the page, not an API call.
    queryFn: async ({ signal }): Promise<readonly Licence[]> => {
      const answer = await fetch(`/${licencesFile}`, { signal });
      if (!answer.ok) throw new Error(texts.none);
      return answer.json();
    },
  });
  return (
    <section className="card settings-part" aria-labelledby="licences-heading">
      <h2 id="licences-heading">{texts.title}</h2>
      <p>{texts.text}</p>
      {error ? <Notice tone="plain">{texts.none}</Notice> : null}
      {shown ? null : (
        <div>
          <button type="button" className="button" onClick={() => setShown(true)}>
            {texts.show}
          </button>
        </div>
      )}
      {shown && !data && !error ? <p className="hint">{texts.loading}</p> : null}
      {data ? (
        <>
          <p className="hint">{texts.count(number(data.length))}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
          <ul className="licences" aria-label={texts.title} tabIndex={0}>
            {data.map(({ name, version, licence, text }) => (
              <li key={`${name} ${version}`}>
                <details>
                  <summary>
                    {name} <span className="hint">{`${version} · ${licence}`}</span>
                  </summary>
                  <pre>{text || texts.noText}</pre>
                </details>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </section>
  );
}
