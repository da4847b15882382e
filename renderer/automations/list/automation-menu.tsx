import type { Automation } from '#protocol/agent/automations/automation.ts';
import { Menu, MenuItem } from '#ui/menu.tsx';
import { goTo } from '../../app/route.ts';
import { useLocale } from '../../messages/locale.ts';
import { useAutomationActions } from '../actions/use-automation-actions.ts';

export interface MenuTarget {
  readonly automation: Automation;
  readonly button: HTMLElement;
}

interface AutomationMenuProps {
  readonly target: MenuTarget;
  readonly onClose: () => void;
  readonly onExport: (automation: Automation) => void;
  readonly onRemove: (automation: Automation) => void;
}

/** The menu with all actions for an automation. */
export function AutomationMenu({ target: { automation, button }, onClose, onExport, onRemove }: AutomationMenuProps) {
  const { act, more } = useLocale().messages.automations;
  const actions = useAutomationActions();
  const { id, active } = automation;
  const item = (label: string, run: () => void) => (
    <MenuItem
      key={label}
      label={label}
      onChoose={() => {
        onClose();
        run();
      }}
    />
  );
  return (
    <Menu label={more(automation.name)} button={button} onClose={onClose}>
      {item(act.open, () => goTo({ name: 'automation', id }))}
      {item(act.edit, () => goTo({ name: 'edit-automation', id }))}
      {active ? item(act.run, () => actions.run(automation)) : null}
      {item(active ? act.pause : act.resume, () => actions.toggle(automation))}
      <hr />
      {item(act.duplicate, () => actions.duplicate(automation))}
      {item(act.export, () => onExport(automation))}
      <hr />
      {item(act.remove, () => onRemove(automation))}
    </Menu>
  );
}
