import { useState } from 'react';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { useLocale } from '../../messages/locale.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useAutomationActions } from './use-automation-actions.ts';

interface RemoveDialogProps {
  readonly automation: Automation;
  readonly onClose: () => void;
  readonly onRemoved?: () => void;
}

/** The focus is on the button that changes nothing, so that a hasty Enter removes nothing. */
const takeFocus = (button: HTMLButtonElement | null): void => button?.focus();

/** Asks before an automation is removed, since what it knows as sent goes with it. */
export function RemoveDialog({ automation, onClose, onRemoved }: RemoveDialogProps) {
  const { remove: texts } = useLocale().messages.automations;
  const { remove } = useAutomationActions();
  const [busy, setBusy] = useState(false);
  const go = async (): Promise<void> => {
    setBusy(true);
    const removed = await remove(automation);
    onClose();
    if (removed) onRemoved?.();
  };
  return (
    <Dialog title={texts.title(automation.name)} onClose={onClose} small>
      <p>{texts.text}</p>
      <p>{texts.ledger}</p>
      <div className="dialog-actions">
        <button type="button" className="button button-danger" disabled={busy} onClick={go}>
          {texts.go}
        </button>
        <button type="button" className="button" ref={takeFocus} onClick={onClose}>
          {texts.keep}
        </button>
      </div>
    </Dialog>
  );
}
