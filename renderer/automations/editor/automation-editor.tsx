import type { Automation, AutomationKind } from '#protocol/agent/automations/automation.ts';
import { useLocale } from '../../messages/locale.ts';

interface AutomationEditorProps {
  /** The automation that is changed; without one a new one is made. */
  readonly automation?: Automation;
  /** What a new one does, if that was chosen already. */
  readonly kind?: AutomationKind;
}

/** Makes or changes an automation. */
export default function AutomationEditor({ automation }: AutomationEditorProps) {
  const { messages } = useLocale();
  return <h1>{automation ? automation.name : messages.automations.add}</h1>;
}
