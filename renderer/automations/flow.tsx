import type { Automation } from '#protocol/agent/automations/automation.ts';
import { BackIcon } from '#ui/icons.tsx';
import { useFormat } from '../messages/format.ts';
import { type AutomationNames, flowOf } from './describe-automation.ts';

/** From where to where an automation moves files. */
export function Flow({ automation, names }: { automation: Automation; names: AutomationNames }) {
  const format = useFormat();
  const [from, to] = flowOf(format, automation, names);
  return (
    <p className="flow">
      <span dir="auto">{from}</span>
      <span className="flow-end">
        <span className="mirrored">
          <BackIcon />
        </span>
        <span className="visually-hidden">{format.messages.automations.to}</span>
        <span dir="auto">{to}</span>
      </span>
    </p>
  );
}
