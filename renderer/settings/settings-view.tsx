import { useRef } from 'react';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../messages/fault-text.tsx';
import { useLocale } from '../messages/locale.ts';
import { AppearanceSettings } from './appearance-settings.tsx';
import { Applications } from './applications/applications.tsx';
import { Contents } from './contents.tsx';
import { DesktopSettings } from './desktop-settings.tsx';
import { FolderSettings } from './folder-settings.tsx';
import { KeyboardSettings } from './keyboard-settings.tsx';
import { LimitSettings } from './limit-settings.tsx';
import { Mounts } from './mounts/mounts.tsx';
import { DesktopRefusal, useChangeSettings, useSettings } from './queries.ts';
import { TransferSettings } from './transfer-settings.tsx';
import '../ui/styles/lazy/views.css';
import '../ui/styles/lazy/mounts.css';

/** All settings of this agent. Each change takes effect at once. */
export function SettingsView() {
  const { messages } = useLocale();
  const fault = useFaultText();
  const { data, error, refetch } = useSettings();
  const change = useChangeSettings();
  const content = useRef<HTMLDivElement>(null);
  const part = data ? { settings: data, onChange: change.mutate } : null;
  return (
    <div className="page settings">
      <header>
        <h1>{messages.settings.title}</h1>
        <p className="hint" role="status">
          {change.isSuccess ? messages.settings.saved : messages.settings.lead}
        </p>
      </header>
      {error ? (
        <Notice tone="bad">
          {fault(error)}{' '}
          <button type="button" className="button-link" onClick={() => refetch()}>
            {messages.app.tryAgain}
          </button>
        </Notice>
      ) : null}
      {change.error ? (
        <Notice tone="bad">{change.error instanceof DesktopRefusal ? messages.settings.desktop.refused : fault(change.error)}</Notice>
      ) : null}
      {!part && !error ? <p className="hint">{messages.app.loading}</p> : null}
      {part ? <Contents content={content} /> : null}
      {part ? (
        <div ref={content} className="settings-parts">
          <TransferSettings {...part} />
          <LimitSettings />
          <FolderSettings {...part} />
          <Mounts />
          <Applications />
          <DesktopSettings {...part} />
          <AppearanceSettings {...part} />
          <KeyboardSettings {...part} />
        </div>
      ) : null}
    </div>
  );
}
