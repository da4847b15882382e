import { useState } from 'react';
import { AgentCallError } from '#client/agent-call-error.ts';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { limits } from '#protocol/limits.ts';
import { TextAreaField, TextField } from '#ui/field.tsx';
import { useLocale } from '../../messages/locale.ts';
import { faultText, plainText } from '../../messages/localized-text.ts';
import { portalAddressOf } from '../../send/portal/portal-address.ts';
import type { EditorPartProps } from './editor-part.ts';
import { FormSources } from './form-sources.tsx';
import { usePortal } from './queries.ts';
import { useEditorTexts } from './texts.ts';

/** The Portal that packages go through, who sends them, and how its form is answered. */
export function PortalTarget({ draft, onChange, errorOf, automation }: EditorPartProps & { readonly automation: Automation | undefined }) {
  const { messages } = useLocale();
  const { to: texts } = useEditorTexts();
  const typed = portalAddressOf(draft.portal);
  const address = typed ?? (draft.portal.trim() === '' && draft.portalId !== '' ? { id: draft.portalId } : null);
  const portal = usePortal(address, draft.accessCode);
  const isKept = automation?.kind === 'portal_upload' && automation.has_access_code;
  const asksCode = portal.error instanceof AgentCallError && portal.error.is('access_code_wrong');
  // Once it was asked for it stays, so that it does not go while it is typed.
  const [asked, setAsked] = useState(false);
  if (asksCode && !asked) setAsked(true);
  const codeError = asksCode && draft.accessCode !== '' ? messages.send.portal.codeWrong : null;
  return (
    <section className="card settings-part" aria-labelledby="editor-to">
      <h2 id="editor-to">{texts.title}</h2>
      <TextField
        label={texts.portal}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://share.example.com/p/northlight"
        value={draft.portal}
        onChange={(event) => {
          setAsked(false);
          onChange({ portal: event.target.value, accessCode: '' });
        }}
        hint={draft.portal === '' && draft.portalId !== '' ? texts.byId : texts.portalHint}
        error={errorOf('portal') ?? (portal.error && !asksCode ? faultOf(portal.error) : null)}
      />
      {address && portal.isFetching ? (
        <p className="hint" role="status">
          {texts.looking}
        </p>
      ) : null}
      {address && portal.data ? (
        <p className="hint" role="status">
          {portal.data.active ? texts.found(portal.data.name) : texts.foundClosed(portal.data.name)}
        </p>
      ) : null}
      {isKept || asked ? (
        <TextField
          label={texts.code}
          type="password"
          autoComplete="off"
          value={draft.accessCode}
          onChange={(event) => onChange({ accessCode: event.target.value })}
          hint={isKept ? texts.codeKept : messages.send.portal.codeHint}
          error={codeError ?? errorOf('accessCode') ?? (asksCode && !isKept ? messages.send.portal.codeNeeded : null)}
        />
      ) : null}
      <TextField
        label={texts.sender}
        inputMode="email"
        autoComplete="email"
        value={draft.sender}
        onChange={(event) => onChange({ sender: event.target.value })}
        error={errorOf('sender')}
      />
      <TextAreaField
        label={texts.description}
        aside={messages.send.form.optional}
        rows={2}
        maxLength={limits.textLength}
        value={draft.packageDescription}
        onChange={(event) => onChange({ packageDescription: event.target.value })}
        error={errorOf('packageDescription')}
      />
      {address && portal.data?.custom_metadata?.length ? (
        <FormSources draft={draft} onChange={onChange} errorOf={errorOf} fields={portal.data.custom_metadata} />
      ) : null}
    </section>
  );

  function faultOf(error: unknown): string {
    const { portal: said } = messages.send;
    if (error instanceof AgentCallError && error.is('not_found')) return said.missing;
    if (error instanceof AgentCallError && error.is('service_unreachable')) return said.unreachable;
    return plainText(faultText(error, messages));
  }
}
