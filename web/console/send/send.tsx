import { useMemo, useState } from 'react';
import { Choice } from '#ui/choice.tsx';
import { de } from '../../messages/de/console/send.ts';
import { en } from '../../messages/en/console/send.ts';
import { LocaleContext, localeFor } from '../../messages/portal.ts';
import { SendingEnvironmentContext } from '../../sending/view/environment.ts';
import { useMay, useTeam } from '../app/account.ts';
import { useTexts } from '../app/texts.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { CloudForm } from './cloud-form.tsx';
import { FilesForm } from './files-form.tsx';
import { isFilled, useKeptDraft } from './kept-draft.ts';
import { Restored } from './restored.tsx';
import { RunningList, useRunning } from './running-list.tsx';
import { useSender } from './sender.ts';
import { Unfinished } from './unfinished.tsx';
import '../../common/windowed-list.css';
import '../../sending/view/sending.css';
import './send.css';

/** Sends a package: from this browser, or from connected storage. */
export default function Send() {
  const { messages, tag } = useTexts({ en, de });
  const team = useTeam();
  const mayUseClouds = useMay()('integrations.manage');
  const sender = useSender();
  const locale = useMemo(() => localeFor([tag]), [tag]);
  const running = useRunning();
  const kept = useKeptDraft();
  const { source } = kept.draft;
  /** Whether the form is shown below what is sent. */
  const [another, setAnother] = useState(false);
  return (
    <SendingEnvironmentContext value={sender}>
      <LocaleContext value={locale}>
        <div className="view send-view">
          <PageHeader title={messages.title} text={team.name} />
          <RunningList running={running} />
          <Unfinished running={running} />
          {running.length > 0 && !another ? (
            <button type="button" className="button send-another" onClick={() => setAnother(true)}>
              {messages.another}
            </button>
          ) : (
            <>
              {mayUseClouds ? (
                <Choice
                  label={messages.source}
                  id="send-source"
                  value={source}
                  options={[
                    ['files', messages.fromHere],
                    ['cloud', messages.fromCloud],
                  ]}
                  onChoose={(chosen) => kept.change({ source: chosen })}
                />
              ) : null}
              {kept.restored && isFilled(kept.draft) ? <Restored kept={kept} /> : null}
              {source === 'cloud' && mayUseClouds ? (
                <CloudForm kept={kept} />
              ) : (
                <FilesForm kept={kept} onStarted={() => setAnother(false)} />
              )}
            </>
          )}
        </div>
      </LocaleContext>
    </SendingEnvironmentContext>
  );
}
