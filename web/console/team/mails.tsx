import { mailPreviewKinds } from '#protocol/hosted/mail-preview-kinds.ts';
import { de } from '../../messages/de/console/mail-preview.ts';
import { en } from '../../messages/en/console/mail-preview.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { MailPreview } from '../ui/mail-preview/mail-preview.tsx';
import { teamCalls } from './calls.ts';
import type { Draft } from './draft.ts';

/** The Team's mails with the settings as they stand in the form. */
export function Mails({ draft }: { readonly draft: Draft }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(teamCalls);
  const { name, primary_color, logo_url, imprint_url, privacy_url } = draft;
  return (
    <section className="panel">
      <h2>{messages.title}</h2>
      <MailPreview
        kinds={mailPreviewKinds}
        settings={{ name, primary_color, logo_url, imprint_url, privacy_url }}
        mailLanguage={draft.mail_language}
        cacheKey={['team', team.id]}
        ask={(body, signal) => api.call('previewMail', { params: { team_id: team.id }, body, signal })}
      />
    </section>
  );
}
