import { useMemo, useState } from 'react';
import { PlusIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { mountPhrases } from '../../messages/de/mount-phrases.ts';
import { LocaleContext, useLocale } from '../../messages/locale.ts';
import { withPhrases } from '../../messages/with-phrases.ts';
import { teamChoices } from '../../send/team-choice.ts';
import { useSessions } from '../../session/queries.ts';
import { SignInDialog } from '../../session/sign-in-dialog.tsx';
import { SettingsList } from '../settings-list.tsx';
import { MountEntry } from './mount-entry.tsx';
import { NewMount } from './new-mount.tsx';
import { useMounts } from './queries.ts';
import { useMountTexts } from './texts.ts';

/** Folders of this machine that stand for cloud connections: their state, a check, and how one is added. */
export function Mounts() {
  const locale = useLocale();
  const own = useMemo(() => withPhrases(locale, mountPhrases), [locale]);
  return (
    <LocaleContext value={own}>
      <MountList />
    </LocaleContext>
  );
}

function MountList() {
  const { messages } = useLocale();
  const texts = useMountTexts();
  const query = useMounts();
  const { data } = query;
  const teams = teamChoices(useSessions().data ?? []);
  const [adding, setAdding] = useState(false);
  const [signingIn, setSigningIn] = useState(false);
  return (
    <SettingsList title={texts.title} text={texts.text} query={query}>
      {data?.length === 0 && !adding ? (
        <div className="mounts-empty">
          <p className="field-name">{texts.empty.title}</p>
          <ol>
            {texts.empty.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </div>
      ) : null}
      {data && data.length > 0 ? (
        <ul className="applications" aria-label={texts.title}>
          {data.map((mount) => (
            <MountEntry key={mount.id} mount={mount} team={teams.find(({ team }) => team.id === mount.team_id)?.team ?? null} />
          ))}
        </ul>
      ) : null}
      {teams.length === 0 ? (
        <Notice tone="plain">
          {texts.signIn}{' '}
          <button type="button" className="button-link" onClick={() => setSigningIn(true)}>
            {messages.send.signIn}
          </button>
        </Notice>
      ) : adding ? (
        <NewMount teams={teams} onDone={() => setAdding(false)} />
      ) : (
        <div>
          <button type="button" className="button button-small" onClick={() => setAdding(true)}>
            <PlusIcon /> {texts.add}
          </button>
        </div>
      )}
      {signingIn ? <SignInDialog renew={null} onClose={() => setSigningIn(false)} /> : null}
    </SettingsList>
  );
}
