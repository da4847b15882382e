import { Notice } from '../ui/notice.tsx';
import { useFaultWords } from '../words/faults.ts';
import { useTongue } from '../words/words.ts';
import { LookSettings } from './look-settings.tsx';
import { useChangeSettings, useSettings } from './queries.ts';

/** Everything a person sets on this agent. Each choice holds at once. */
export function SettingsPlace() {
  const { words } = useTongue();
  const fault = useFaultWords();
  const { data, error } = useSettings();
  const change = useChangeSettings();
  const failure = change.error ?? error;
  return (
    <div className="place-page">
      <h1>{words.settings.title}</h1>
      {failure ? <Notice tone="bad">{fault(failure)}</Notice> : null}
      {data ? <LookSettings settings={data} onChange={change.mutate} /> : null}
    </div>
  );
}
