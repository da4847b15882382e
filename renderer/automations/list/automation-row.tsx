import type { Automation } from '#protocol/agent/automations/automation.ts';
import { MoreIcon, PauseIcon, PlayIcon, RetryIcon } from '#ui/icons.tsx';
import { hrefOf } from '../../app/route.ts';
import { useFormat } from '../../messages/format.ts';
import { Localized } from '../../messages/localized.tsx';
import { useAutomationActions } from '../actions/use-automation-actions.ts';
import { AutomationIcon } from '../automation-icon.tsx';
import { type AutomationNames, describeAutomation, factsOf } from '../describe-automation.ts';
import { Flow } from '../flow.tsx';

interface AutomationRowProps {
  readonly automation: Automation;
  readonly names: AutomationNames;
  readonly onMenu: (button: HTMLElement) => void;
}

/** One automation in the list: from where to where, how it stands, and its actions. */
export function AutomationRow({ automation, names, onMenu }: AutomationRowProps) {
  const format = useFormat();
  const actions = useAutomationActions();
  const { act, actOn, more } = format.messages.automations;
  const { id, name, active, counts } = automation;
  const { tone, label, detail } = describeAutomation(format, automation);
  const main = active ? act.pause : act.resume;
  return (
    <li className={`automation tone-${tone}`}>
      <AutomationIcon automation={automation} />
      <div className="automation-text">
        <p className="automation-head">
          <a className="row-name" href={hrefOf({ name: 'automation', id })} dir="auto">
            {name}
          </a>
          <span className="state">{label}</span>
        </p>
        <Flow automation={automation} names={names} />
        {detail.length > 0 ? (
          <p className="automation-detail">
            <Localized text={detail} />
          </p>
        ) : null}
        <p className="automation-facts">
          {factsOf(format, automation).map((fact) => (
            <span key={fact} className="fact">
              {fact}
            </span>
          ))}
        </p>
      </div>
      <div className="row-actions">
        {counts.questions > 0 ? (
          <a className="button button-small" href={hrefOf({ name: 'automation', id })} aria-label={actOn(act.answer, name)}>
            {act.answer}
          </a>
        ) : null}
        {active ? (
          <button
            type="button"
            className="button button-quiet button-icon"
            title={act.run}
            aria-label={actOn(act.run, name)}
            onClick={() => actions.run(automation)}
          >
            <RetryIcon />
          </button>
        ) : null}
        <button
          type="button"
          className="button button-quiet button-icon"
          title={main}
          aria-label={actOn(main, name)}
          onClick={() => actions.toggle(automation)}
        >
          {active ? <PauseIcon /> : <PlayIcon />}
        </button>
        <button
          type="button"
          className="button button-quiet button-icon"
          title={act.more}
          aria-haspopup="menu"
          aria-label={more(name)}
          onClick={(event) => onMenu(event.currentTarget)}
        >
          <MoreIcon />
        </button>
      </div>
    </li>
  );
}
