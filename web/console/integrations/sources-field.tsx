import { useRef, useState } from 'react';
import type { Connection } from '#protocol/hosted/connections.ts';
import { TextAreaField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTeam } from '../app/account.ts';
import { usePatientApi } from '../app/api.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { CloudFolder, type FolderSource, useConnectionFiles } from '../ui/cloud-folder.tsx';
import { integrationCalls } from './calls.ts';
import { authorizationOf, type ConnectionDraft, foldersOf, providerOf, withFolder } from './connection-draft.ts';

interface SourcesFieldProps {
  /** Null for one that is being made. */
  readonly connection: Connection | null;
  readonly draft: ConnectionDraft;
  /** Whether the credentials are filled in; where they are not, it shows what is missing. */
  readonly requireCredentials: () => boolean;
  readonly onChange: (sources: string) => void;
}

/** The folders that files come from: written, or chosen by looking into the storage. */
export function SourcesField({ connection, draft, requireCredentials, onChange }: SourcesFieldProps) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const saved = useConnectionFiles(connection?.id ?? '', 'destination');
  const entered = useEnteredStorage(draft);
  // What is shown belongs to the credentials that it was opened with.
  const [openedWith, setOpenedWith] = useState<ConnectionDraft['values'] | null>(null);
  const isOpen = openedWith === draft.values;
  const chosen = foldersOf(draft.sources);
  const canBrowse = connection !== null || (!providerOf(draft.provider).gateway && draft.alternative !== 'role');
  const toggle = (): void => {
    if (isOpen) setOpenedWith(null);
    else if (connection || requireCredentials()) {
      entered.renew();
      setOpenedWith(draft.values);
    }
  };
  return (
    <>
      <TextAreaField
        label={messages.sources}
        aside={shell.optional}
        hint={canBrowse ? messages.sourcesHint : `${messages.sourcesHint} ${messages.sourcesLater}`}
        value={draft.sources}
        onChange={(event) => onChange(event.target.value)}
      />
      {canBrowse ? (
        <div className="folder-choice">
          <button type="button" className="button button-small" aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? messages.browseEnd : messages.browseSources}
          </button>
          {isOpen ? (
            <>
              {connection && Object.keys(authorizationOf(draft)).length > 0 ? <p className="hint">{messages.browseSaved}</p> : null}
              <div className="panel-inset">
                <CloudFolder
                  source={connection ? saved : entered.source}
                  leading={(file) =>
                    file.kind === 'directory' ? (
                      <input
                        type="checkbox"
                        aria-label={messages.chooseFolder(file.name)}
                        checked={chosen.includes(file.id.replace(/^\/+|\/+$/g, ''))}
                        onChange={() => onChange(withFolder(draft.sources, file.id))}
                      />
                    ) : null
                  }
                />
              </div>
            </>
          ) : null}
        </div>
      ) : null}
    </>
  );
}

/** Storage as it is filled in, which nobody has connected yet. `renew` forgets what was listed. */
function useEnteredStorage(draft: ConnectionDraft): { readonly source: FolderSource; readonly renew: () => void } {
  const team = useTeam();
  const api = usePatientApi(integrationCalls);
  const opened = useRef(0);
  return {
    renew: () => {
      opened.current += 1;
    },
    source: {
      key: ['team', team.id, 'storage', draft.provider, opened.current],
      list: (query, signal) =>
        api.call('browseStorage', {
          params: { team_id: team.id },
          body: { provider: draft.provider, authorization: authorizationOf(draft), ...query },
          signal,
        }),
    },
  };
}
