import { useState } from 'react';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { BackIcon, CloseIcon, CopyIcon, DownloadIcon, PauseIcon, PlayIcon, RetryIcon } from '#ui/icons.tsx';
import { goTo, hrefOf } from '../../app/route.ts';
import { useFormat } from '../../messages/format.ts';
import { Localized } from '../../messages/localized.tsx';
import { RemoveDialog } from '../actions/remove-dialog.tsx';
import { useAutomationActions } from '../actions/use-automation-actions.ts';
import { AutomationIcon } from '../automation-icon.tsx';
import { type AutomationNames, describeAutomation, factsOf } from '../describe-automation.ts';
import { ExportDialog } from '../exchange/export-dialog.tsx';
import { Flow } from '../flow.tsx';
import { useAutomationNames } from '../names.ts';
import { About, Status } from './facts.tsx';
import { Ledger } from './ledger.tsx';
import { useRefreshOnChange } from './queries.ts';
import { Questions } from './questions.tsx';
import { Results } from './results.tsx';

/** The page of one automation: how it stands, what it asks, does, did, and knows. */
export function AutomationPage({ automation }: { automation: Automation }) {
  const { messages } = useFormat();
  const names = useAutomationNames([automation]);
  useRefreshOnChange(automation.id);
  return (
    <article className="detail">
      <a className="back" href={hrefOf({ name: 'automations' })}>
        <BackIcon /> {messages.automations.gone.all}
      </a>
      <Head automation={automation} names={names} />
      {automation.counts.questions > 0 ? <Questions automation={automation} /> : null}
      <div className="panels">
        <Status automation={automation} />
        <Results automation={automation} />
        <About automation={automation} names={names} />
        <Ledger automation={automation} />
      </div>
    </article>
  );
}

function Head({ automation, names }: { automation: Automation; names: AutomationNames }) {
  const format = useFormat();
  const { act, retries } = format.messages.automations;
  const actions = useAutomationActions();
  const [dialog, setDialog] = useState<'export' | 'remove' | null>(null);
  const { id, name, active, state, message, counts, next_scan_at: next } = automation;
  const { tone, label, detail } = describeAutomation(format, automation);
  const close = (): void => setDialog(null);
  return (
    <header className={`detail-head tone-${tone}`}>
      <div className="detail-title">
        <AutomationIcon automation={automation} />
        <div>
          <h1 dir="auto">{name}</h1>
          <Flow automation={automation} names={names} />
          <p className="row-facts">
            <span className="state">{label}</span>
            {factsOf(format, automation).map((fact) => (
              <span key={fact} className="fact">
                {fact}
              </span>
            ))}
          </p>
        </div>
      </div>
      {/* Its questions stand below. */}
      {detail.length > 0 && (message !== '' || counts.questions === 0) ? (
        <p className="transfer-detail">
          <Localized text={detail} />
          {state === 'error' && next ? ` ${retries(format.moment(next))}` : null}
        </p>
      ) : null}
      <div className="detail-acts">
        {active ? (
          <button
            type="button"
            className={counts.questions > 0 ? 'button' : 'button button-primary'}
            onClick={() => actions.run(automation)}
          >
            <RetryIcon /> {act.run}
          </button>
        ) : null}
        <button type="button" className={active ? 'button' : 'button button-primary'} onClick={() => actions.toggle(automation)}>
          {active ? <PauseIcon /> : <PlayIcon />} {active ? act.pause : act.resume}
        </button>
        <a className="button" href={hrefOf({ name: 'edit-automation', id })}>
          {act.edit}
        </a>
        <button type="button" className="button" onClick={() => actions.duplicate(automation)}>
          <CopyIcon /> {act.duplicate}
        </button>
        <button type="button" className="button" onClick={() => setDialog('export')}>
          <DownloadIcon /> {act.export}
        </button>
        <button type="button" className="button button-danger" onClick={() => setDialog('remove')}>
          <CloseIcon /> {act.remove}
        </button>
      </div>
      {dialog === 'export' ? <ExportDialog automations={[automation]} chosen={[id]} onClose={close} /> : null}
      {dialog === 'remove' ? (
        <RemoveDialog automation={automation} onClose={close} onRemoved={() => goTo({ name: 'automations' }, true)} />
      ) : null}
    </header>
  );
}
