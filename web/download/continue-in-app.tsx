import { useEffect, useState } from 'react';
import { handoverClient } from '../common/handover/calls.ts';
import { makeHandover } from '../common/handover/hand-over.ts';
import { HandoverLink } from '../common/handover/handover-link.tsx';
import { useFormat, useLocale } from '../messages/download.ts';
import { handoverMessages } from '../messages/handover.ts';
import { usePageEnvironment } from './environment.ts';
import type { OpenedLink } from './opened-link.ts';

interface ContinueInAppProps {
  readonly opened: OpenedLink;
  /** Ids of chosen files and empty folders; none stands for the whole package. */
  readonly chosen: ReadonlySet<string>;
}

type State =
  | { readonly kind: 'none' | 'making' | 'failed' | 'taken' }
  | { readonly kind: 'waiting'; readonly id: string; readonly link: string };

const filesPerPart = 1_000;
const lookAgainMs = 2_000;

/** Hands what is chosen over to the app, which fetches all of it: what this browser has saved is not known there. */
export function ContinueInApp({ opened, chosen }: ContinueInAppProps) {
  const { baseUrl, fetcher } = usePageEnvironment();
  const { language } = useLocale();
  const { files } = useFormat();
  const texts = handoverMessages[language];
  const [state, setState] = useState<State>({ kind: 'none' });
  const packageId = opened.info.package_id;
  const client = () => handoverClient(baseUrl, fetcher, opened.token());
  const begin = async (): Promise<void> => {
    setState({ kind: 'making' });
    const ids = [...chosen];
    const parts = Array.from({ length: Math.ceil(ids.length / filesPerPart) }, (_, index) => ({
      file_ids: ids.slice(index * filesPerPart, (index + 1) * filesPerPart),
    }));
    const made = await makeHandover(client(), packageId, parts, async () => undefined);
    setState({ kind: 'waiting', ...made });
  };
  const id = state.kind === 'waiting' ? state.id : null;
  useEffect(() => {
    if (id === null) return;
    const timer = setInterval(async () => {
      const seen = await handoverClient(baseUrl, fetcher, opened.token())
        .call('getHandover', { params: { package_id: packageId, handover_id: id } })
        .catch(() => null);
      if (seen?.state === 'taken') setState({ kind: 'taken' });
    }, lookAgainMs);
    return () => clearInterval(timer);
  }, [id, baseUrl, opened, packageId]);
  return (
    <li className="other-download">
      <p>
        <strong>{texts.button}</strong>{' '}
        <span className="hint">
          {chosen.size > 0
            ? texts.downloadChosen(files(countOf(opened.records.filter(({ id }) => chosen.has(id)))))
            : texts.downloadAll(files(countOf(opened.records)))}
        </span>
      </p>
      <button
        type="button"
        className="button button-small"
        disabled={state.kind === 'making'}
        onClick={() => void begin().catch(() => setState({ kind: 'failed' }))}
      >
        {texts.makeLink}
      </button>
      <div className="other-download-answer" role="status">
        {state.kind === 'waiting' ? <HandoverLink link={state.link} baseUrl={baseUrl} language={language} /> : null}
        {state.kind === 'taken' ? <p className="notice">{texts.downloadTaken}</p> : null}
        {state.kind === 'failed' ? <p className="notice notice-bad">{texts.downloadFailed}</p> : null}
      </div>
    </li>
  );
}

const countOf = (records: OpenedLink['records']): number => records.filter(({ kind }) => kind === 'file').length;
