import { type ReactNode, useState } from 'react';
import type { SentPackage as Sent } from '#protocol/agent/sent-package.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { downloadedText } from '#ui/downloaded-text.ts';
import { hasPassed } from '#ui/has-passed.ts';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../../messages/fault-text.tsx';
import { type Format, useFormat } from '../../messages/format.ts';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { useTransferActions } from '../actions/transfer-actions.tsx';
import { ExpiryDialog } from './expiry-dialog.tsx';
import { NewLink } from './new-link.tsx';
import { useSentPackage, useSentPackageActions } from './queries.ts';
import { Remarks } from './remarks.tsx';
import { SentLinks } from './sent-links.tsx';
import { type SentPackageTexts, useSentPackageTexts } from './texts.ts';

/** What became of a sent package: how long it stands, whom it went to, who has downloaded it. */
export function SentPackage({ transfer, fallback }: { transfer: AgentTransfer; fallback: ReactNode }) {
  const { messages } = useFormat();
  const fault = useFaultText();
  const { data, error, refetch } = useSentPackage(transfer.id, true);
  if (!data) {
    return (
      <>
        {error ? (
          <section className="panel">
            <Notice tone="plain">
              {fault(error)}{' '}
              <button type="button" className="button-link" onClick={() => void refetch()}>
                {messages.app.tryAgain}
              </button>
            </Notice>
          </section>
        ) : null}
        {fallback}
      </>
    );
  }
  return <Known transfer={transfer} sent={data} failure={error ? fault(error) : null} />;
}

type Asking = 'expiry' | 'link' | 'delete' | null;

function Known({ transfer, sent, failure }: { transfer: AgentTransfer; sent: Sent; failure: ReactNode }) {
  const format = useFormat();
  const texts = useSentPackageTexts();
  const actions = useSentPackageActions(transfer.id);
  const { notify } = useTransferActions();
  const [asking, setAsking] = useState<Asking>(null);
  const stands = sent.state === 'finalized';
  const over = !stands || hasPassed(sent.expiry);
  const first = sent.links.find(({ active }) => active);
  const done = (say: (texts: SentPackageTexts) => string) => {
    setAsking(null);
    notify({ tone: 'plain', text: () => <Done say={say} /> });
  };
  return (
    <>
      <section className="panel" aria-labelledby="package-heading">
        <h2 id="package-heading">{texts.title}</h2>
        {failure ? <Notice tone="plain">{failure}</Notice> : null}
        <Remarks sent={sent} />
        <dl className="facts">
          <dt>{texts.state}</dt>
          <dd>{stands && over ? texts.timeOver : texts.states[sent.state]}</dd>
          <dt>{over ? texts.ended : texts.until}</dt>
          <dd>{expiryText(sent, format, texts.never)}</dd>
          <dt>{texts.holds}</dt>
          <dd>
            {format.files(sent.total_files)}, {format.size(sent.size)}
          </dd>
        </dl>
        {stands ? (
          <div className="panel-acts">
            {first && !over ? (
              <a className="button button-small" href={first.url} target="_blank" rel="noreferrer noopener">
                {texts.open}
              </a>
            ) : null}
            <button type="button" className="button button-small" onClick={() => setAsking('expiry')}>
              {texts.extend}
            </button>
            {sent.hold ? null : (
              <button type="button" className="button button-small button-danger" onClick={() => setAsking('delete')}>
                {texts.remove}
              </button>
            )}
          </div>
        ) : null}
      </section>
      <section className="panel" aria-labelledby="links-heading">
        <header className="panel-head">
          <h2 id="links-heading">{texts.links.title}</h2>
          {stands ? (
            <button type="button" className="button button-small" onClick={() => setAsking('link')}>
              {texts.links.add}
            </button>
          ) : null}
        </header>
        <SentLinks
          sent={sent}
          onEnd={actions.endLink}
          onMail={actions.mailLink}
          onMailed={(whom) => done(({ links }) => links.mailed(whom))}
        />
      </section>
      {sent.downloads ? <Downloads downloads={sent.downloads} /> : null}
      {asking === 'expiry' ? (
        <ExpiryDialog sent={sent} action={actions.expiry} onClose={() => setAsking(null)} onDone={() => done(({ extended }) => extended)} />
      ) : null}
      {asking === 'link' ? (
        <NewLink
          sent={sent}
          action={actions.addLink}
          onClose={() => setAsking(null)}
          onDone={(mailedTo) => done(({ links }) => (mailedTo === '' ? links.added : links.addedAndMailed(mailedTo)))}
        />
      ) : null}
      {asking === 'delete' ? (
        <DeleteDialog
          name={sent.name}
          action={actions.remove}
          onClose={() => setAsking(null)}
          onDone={() => done(({ removed }) => removed)}
        />
      ) : null}
    </>
  );
}

function expiryText(sent: Sent, { tag }: Format, never: string): string {
  if (sent.unlimited_storage && sent.state === 'finalized') return never;
  return new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(sent.expiry));
}

function Downloads({ downloads }: { downloads: NonNullable<Sent['downloads']> }) {
  const format = useFormat();
  const { downloads: texts } = useSentPackageTexts();
  return (
    <section className="panel" aria-labelledby="downloads-heading">
      <h2 id="downloads-heading">{texts.title}</h2>
      {downloads.length === 0 ? <p className="hint">{texts.none}</p> : null}
      {downloads.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <ol className="log" aria-label={texts.title} tabIndex={0}>
          {downloads.map(({ email, at, verified, what }, index) => (
            <li key={`${at} ${email} ${downloads.length - index}`}>
              <time dateTime={at} className="figure">
                {format.dated(at)}
              </time>
              <span>
                <bdi>{email || texts.anyone}</bdi>
                {verified ? <span className="hint"> · {texts.verified}</span> : null}
                {what ? <bdi className="log-detail">{downloadedText(what, texts, format.files)}</bdi> : null}
              </span>
            </li>
          ))}
        </ol>
      ) : null}
    </section>
  );
}

interface DeleteDialogProps {
  readonly name: string;
  readonly action: ReturnType<typeof useSentPackageActions>['remove'];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function DeleteDialog({ name, action, onClose, onDone }: DeleteDialogProps) {
  const fault = useFaultText();
  const texts = useSentPackageTexts();
  return (
    <Dialog title={texts.removeTitle} onClose={onClose} filled={false} small>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          action.mutate(undefined, { onSuccess: onDone });
        }}
      >
        {action.error ? <Notice tone="bad">{fault(action.error)}</Notice> : null}
        <p className="dialog-name" dir="auto">
          {name}
        </p>
        <p>{texts.removeText}</p>
        <div className="dialog-actions">
          <CancelButton />
          <button type="submit" className="button button-danger" disabled={action.isPending}>
            {texts.removeNow}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Done({ say }: { readonly say: (texts: SentPackageTexts) => string }) {
  return say(useSentPackageTexts());
}
