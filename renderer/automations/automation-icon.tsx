import type { Automation } from '#protocol/agent/automations/automation.ts';
import { DownloadIcon, PauseIcon, SendIcon, WarnIcon } from '#ui/icons.tsx';
import { isUpload } from './describe-automation.ts';

/** Its direction; or that it rests, or that something is in the way. */
export function AutomationIcon({ automation }: { automation: Automation }) {
  const { state } = automation;
  const stopped = state === 'error' || state === 'needs_you';
  return (
    <span className="transfer-icon">
      {stopped ? <WarnIcon /> : state === 'resting' ? <PauseIcon /> : isUpload(automation) ? <SendIcon /> : <DownloadIcon />}
    </span>
  );
}
