import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FailedJob, ListedFailedMail } from '#protocol/hosted/operator-failures.ts';
import { CheckIcon, RetryIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/operator.ts';
import { en } from '../../messages/en/console/operator.ts';
import { changeQuery, useAddress } from '../app/address.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { KeysetList } from '../ui/keyset-list.tsx';
import { useToast } from '../ui/toasts.tsx';
import { ViewState } from '../ui/view-states.tsx';
import { operatorCalls, operatorKey, useFailedJobs, useFailedMails } from './calls.ts';
import { Findings } from './findings.tsx';
import { OperatorQuery } from './operator-query.tsx';

const choices = ['', 'mails', 'files'] as const;

/** Jobs and mails that failed for good, to be done again, and files that the storage has lost. */
export function FailedWork() {
  const { messages } = useTexts({ en, de });
  const { query } = useAddress();
  const chosen = choices.find((name) => name === query.get('of')) ?? '';
  const labels = { '': messages.jobs, mails: messages.mails, files: messages.storedFiles };
  return (
    <>
      <fieldset className="operator-choice">
        <legend className="visually-hidden">{messages.parts.failed}</legend>
        {choices.map((name) => (
          <button key={name} type="button" className="button" aria-pressed={name === chosen} onClick={() => changeQuery({ of: name })}>
            {labels[name]}
          </button>
        ))}
      </fieldset>
      {chosen === 'files' ? <Findings /> : chosen === 'mails' ? <FailedMails /> : <FailedJobs />}
    </>
  );
}

/** Has work done again, and says how much. */
function useRetry(): { readonly busy: boolean; retry(work: () => Promise<{ readonly retried: number }>): Promise<void> } {
  const cache = useQueryClient();
  const toast = useToast();
  const fault = useFaultText();
  const [busy, setBusy] = useState(false);
  const retry = async (work: () => Promise<{ readonly retried: number }>): Promise<void> => {
    setBusy(true);
    try {
      const { retried } = await work();
      toast({ text: textIn({ en, de }, ({ messages, number }) => messages.retried(number(retried), retried === 1)) });
    } catch (error) {
      toast({ text: fault(error), tone: 'bad' });
    } finally {
      await cache.invalidateQueries({ queryKey: operatorKey });
      setBusy(false);
    }
  };
  return { busy, retry };
}

function FailedJobs() {
  const { messages, number } = useTexts({ en, de });
  const { query } = useAddress();
  const api = useApi(operatorCalls);
  const kind = query.get('kind') ?? '';
  const jobs = useFailedJobs(kind);
  const { busy, retry } = useRetry();
  return (
    <OperatorQuery query={jobs}>
      {({ pages }) => {
        const kinds = pages[0]?.kinds ?? [];
        const found = pages.flatMap(({ records }) => records);
        if (kinds.length === 0) return <ViewState icon={<CheckIcon />} title={messages.noJobs} text={messages.noJobsText} />;
        return (
          <section className="panel" aria-label={messages.jobList}>
            <p className="hint">{messages.jobsText}</p>
            <div className="list-filters">
              <select
                className="input"
                aria-label={messages.byKind}
                value={kind}
                onChange={({ target }) => changeQuery({ kind: target.value })}
              >
                <option value="">{messages.anyKind}</option>
                {kinds.map((one) => (
                  <option key={one.kind} value={one.kind}>
                    {one.kind} ({number(one.count)})
                  </option>
                ))}
              </select>
              {kind === '' ? null : (
                <button
                  type="button"
                  className="button"
                  disabled={busy}
                  onClick={() => void retry(() => api.call('retryFailedJobs', { body: { kind } }))}
                >
                  <RetryIcon /> {messages.allOfKind(kind)}
                </button>
              )}
            </div>
            <KeysetList
              label={messages.jobList}
              items={found}
              keyOf={({ id }) => id}
              rowHeight={84}
              row={(job) => (
                <JobRow job={job} busy={busy} onRetry={() => void retry(() => api.call('retryFailedJobs', { body: { ids: [job.id] } }))} />
              )}
              {...(jobs.hasNextPage && { more: { loading: jobs.isFetchingNextPage, load: () => void jobs.fetchNextPage() } })}
            />
          </section>
        );
      }}
    </OperatorQuery>
  );
}

function JobRow({ job, busy, onRetry }: { readonly job: FailedJob; readonly busy: boolean; readonly onRetry: () => void }) {
  const { messages, number, moment, exactly } = useTexts({ en, de });
  return (
    <div className="row operator-row">
      <div className="row-main">
        <span className="row-name mono">{job.kind}</span>
        <span className="operator-reason" dir="auto">
          {job.reason || messages.noReasonGiven}
        </span>
        <span className="row-facts">
          <time dateTime={job.failed_at} title={exactly(job.failed_at)}>
            {moment(job.failed_at)}
          </time>
          <span>{messages.attempts(number(job.attempts), job.attempts === 1)}</span>
          {Object.entries(job.about).map(([name, id]) => (
            <span key={name} className="mono">
              {name} {id}
            </span>
          ))}
        </span>
      </div>
      <RetryButton what={job.kind} busy={busy} onRetry={onRetry} />
    </div>
  );
}

function RetryButton({ what, busy, onRetry }: { readonly what: string; readonly busy: boolean; readonly onRetry: () => void }) {
  const { messages } = useTexts({ en, de });
  return (
    <div className="row-acts">
      <button type="button" className="button button-small" aria-label={messages.againFor(what)} disabled={busy} onClick={onRetry}>
        <RetryIcon /> {messages.again}
      </button>
    </div>
  );
}

function FailedMails() {
  const { messages, number } = useTexts({ en, de });
  const api = useApi(operatorCalls);
  const mails = useFailedMails();
  const { busy, retry } = useRetry();
  const send = (ids: string[]) => void retry(() => api.call('retryFailedMails', { body: { ids } }));
  return (
    <OperatorQuery query={mails}>
      {({ pages }) => {
        const found = pages.flatMap(({ records }) => records);
        if (found.length === 0) return <ViewState icon={<CheckIcon />} title={messages.noMails} text={messages.noMailsText} />;
        const first = pages[0]!.records.map(({ id }) => id);
        return (
          <section className="panel" aria-label={messages.mailList}>
            <div className="panel-head">
              <p className="hint">{messages.mailsText}</p>
              {first.length > 1 ? (
                <button type="button" className="button" disabled={busy} onClick={() => send(first)}>
                  <RetryIcon /> {messages.allAgain(number(first.length))}
                </button>
              ) : null}
            </div>
            <KeysetList
              label={messages.mailList}
              items={found}
              keyOf={({ id }) => id}
              rowHeight={84}
              row={(mail) => <MailRow mail={mail} busy={busy} onRetry={() => send([mail.id])} />}
              {...(mails.hasNextPage && { more: { loading: mails.isFetchingNextPage, load: () => void mails.fetchNextPage() } })}
            />
          </section>
        );
      }}
    </OperatorQuery>
  );
}

function MailRow({ mail, busy, onRetry }: { readonly mail: ListedFailedMail; readonly busy: boolean; readonly onRetry: () => void }) {
  const { messages, number, moment, exactly } = useTexts({ en, de });
  return (
    <div className="row operator-row">
      <div className="row-main">
        <span className="row-name" dir="auto">
          {mail.recipient}
        </span>
        <span className="operator-reason" dir="auto">
          {mail.reason || messages.noReasonGiven}
        </span>
        <span className="row-facts">
          <span>{messages.mailKinds[mail.kind as keyof typeof messages.mailKinds] ?? mail.kind}</span>
          <span>{messages.mailStates[mail.state]}</span>
          <time dateTime={mail.failed_at} title={exactly(mail.failed_at)}>
            {moment(mail.failed_at)}
          </time>
          <span>{messages.attempts(number(mail.attempts), mail.attempts === 1)}</span>
        </span>
      </div>
      <RetryButton what={mail.recipient} busy={busy} onRetry={onRetry} />
    </div>
  );
}
