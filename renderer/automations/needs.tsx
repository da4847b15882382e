import type { Automation } from '#protocol/agent/automations/automation.ts';
import { WarnIcon } from '#ui/icons.tsx';
import { hrefOf } from '../app/route.ts';
import { useFormat } from '../messages/format.ts';
import { Localized } from '../messages/localized.tsx';
import { describeAutomation, listed, needsOf } from './describe-automation.ts';
import { useAutomations } from './queries.ts';

/** The automations that need a person, and how many questions and other things that are. */
export function useAutomationNeeds(): { readonly automations: readonly Automation[]; readonly count: number } {
  const automations = useAutomations().data?.filter((one) => needsOf(one) > 0) ?? [];
  return { automations, count: automations.reduce((sum, one) => sum + needsOf(one), 0) };
}

/** The automations that need a person, above the transfers that do. */
export function AutomationsInNeed({ automations }: { automations: readonly Automation[] }) {
  const format = useFormat();
  const { needs, act, actOn } = format.messages.automations;
  return (
    <section aria-label={needs.inList}>
      <ul className="automations">
        {listed(automations, '', format.tag).map((automation) => {
          const { id, name, counts } = automation;
          const todo = counts.questions > 0 ? act.answer : act.open;
          return (
            <li key={id} className="automation tone-bad">
              <span className="transfer-icon">
                <WarnIcon />
              </span>
              <div className="automation-text">
                <a className="row-name" href={hrefOf({ name: 'automation', id })} dir="auto">
                  {name}
                </a>
                <p className="automation-detail">
                  <Localized text={describeAutomation(format, automation).detail} />
                </p>
              </div>
              <div className="row-actions">
                <a className="button button-small" href={hrefOf({ name: 'automation', id })} aria-label={actOn(todo, name)}>
                  {todo}
                </a>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
