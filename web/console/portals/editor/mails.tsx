import { lazy, Suspense, useState } from 'react';
import { portalMailKinds } from '#protocol/hosted/mail-preview-kinds.ts';
import { de } from '../../../messages/de/console/portal-editor.ts';
import { en } from '../../../messages/en/console/portal-editor.ts';
import { useTeam } from '../../app/account.ts';
import { useApi } from '../../app/api.ts';
import { useTexts } from '../../app/texts.ts';
import { LoadingState } from '../../ui/view-states.tsx';
import { portalCalls, portalsKey } from '../calls.ts';
import type { Draft } from './draft.ts';

const MailPreview = lazy(async () => ({ default: (await import('../../ui/mail-preview/mail-preview.tsx')).MailPreview }));

/** The Portal's mails with the settings as they stand in the form. Made once somebody wants to see them. */
export function Mails({ portalId, draft }: { readonly portalId: string; readonly draft: Draft }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(portalCalls);
  const [isOpen, setOpen] = useState(false);
  const { name, primary_color, logo_url } = draft;
  return (
    <details className="panel form editor-mails" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2>{messages.sections.mails}</h2>
      </summary>
      {isOpen ? (
        <Suspense fallback={<LoadingState />}>
          <MailPreview
            kinds={portalMailKinds}
            settings={{ name, primary_color, logo_url }}
            mailLanguage=""
            cacheKey={[...portalsKey(team.id), portalId]}
            ask={(body, signal) =>
              api.call('previewPortalMail', {
                params: { portal_id: portalId },
                body: body as typeof body & { readonly kind: (typeof portalMailKinds)[number] },
                signal,
              })
            }
          />
        </Suspense>
      ) : null}
    </details>
  );
}
