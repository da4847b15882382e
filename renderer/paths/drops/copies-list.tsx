import { CloseIcon, SendIcon, WarnIcon } from '#ui/icons.tsx';
import { ProgressBar } from '#ui/progress-bar.tsx';
import { useFormat } from '../../messages/format.ts';
import type { Copy } from './use-copies.ts';

/** What is on its way from the browser to the agent, with its progress. */
export function CopiesList({ copies }: { readonly copies: readonly Copy[] }) {
  const { messages } = useFormat();
  return (
    <ul className="paths-list" aria-label={messages.send.paths.copies}>
      {copies.map((copy) => (
        <CopyRow key={copy.key} copy={copy} />
      ))}
    </ul>
  );
}

function CopyRow({ copy: { names, bytes, sent, error, cancel, retry } }: { readonly copy: Copy }) {
  const { messages, size } = useFormat();
  const { paths: own } = messages.send;
  const what = names.join(', ');
  return (
    <li className={error === null ? undefined : 'paths-bad'}>
      {error === null ? <SendIcon /> : <WarnIcon />}
      <span className="paths-path">
        <span className="paths-name" dir="auto" title={what}>
          {what}
        </span>
        {error === null ? (
          <>
            <span className="hint figure">{bytes === null ? own.reading : own.copying(size(sent), size(bytes))}</span>
            <ProgressBar share={bytes ? sent / bytes : 0} label={own.copyOf(what)} tone="moving" />
          </>
        ) : (
          <span className="field-error" role="alert">
            {error}{' '}
            <button type="button" className="button-link" onClick={retry}>
              {messages.app.tryAgain}
            </button>
          </span>
        )}
      </span>
      <button type="button" className="button button-quiet button-icon" onClick={cancel} aria-label={own.cancelCopy(what)}>
        <CloseIcon />
      </button>
    </li>
  );
}
