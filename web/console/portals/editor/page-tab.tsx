import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Portal } from '#protocol/hosted/portals.ts';
import { Choice } from '#ui/choice.tsx';
import { focusFirstError } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../../messages/de/console/portal-editor.ts';
import { en } from '../../../messages/en/console/portal-editor.ts';
import { useTeam } from '../../app/account.ts';
import { useApi } from '../../app/api.ts';
import { textIn } from '../../app/text-in.ts';
import { useShellTexts, useTexts } from '../../app/texts.ts';
import { ConflictNotice, changedMeanwhile } from '../../ui/conflict-notice.tsx';
import { useFaultText } from '../../ui/fault-text.ts';
import { useToast } from '../../ui/toasts.tsx';
import { portalCalls } from '../calls.ts';
import { useFieldFault } from '../use-field-fault.ts';
import { publicOf, updateOf } from './draft.ts';
import { Mails } from './mails.tsx';
import { Preview } from './preview.tsx';
import { Settings } from './settings.tsx';
import { useDraft } from './use-draft.ts';

interface PageTabProps {
  readonly portal: Portal;
  readonly onSaved: (portal: Portal) => void;
}

/** All settings of a Portal, beside the page as it would be. */
export function PageTab({ portal, onSaved }: PageTabProps) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const api = useApi(portalCalls);
  const fieldFault = useFieldFault();
  const toast = useToast();
  const fault = useFaultText();
  const state = useDraft(portal);
  const form = useRef<HTMLFormElement>(null);
  const [shown, setShown] = useState<'form' | 'preview'>('form');
  const [busy, setBusy] = useState(false);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<unknown>(null);
  /** The Portal as somebody else has saved it meanwhile. */
  const [theirs, setTheirs] = useState<Portal | null>(null);
  const { base, draft, readAt, isChanged, restart } = state;
  const { branding } = useTeam();
  const saved = {
    subdomain: base.subdomain,
    logo_url: base.logo_url || branding.logo_url,
    background_url: base.background_url || branding.background_url,
  };
  // What somebody else saved is taken over, unless it would take away what is not saved here.
  useEffect(() => {
    if (!isChanged && portal.updated_at !== readAt) restart(portal, false);
  }, [portal, readAt, isChanged, restart]);

  const of = { params: { portal_id: portal.id } };
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFaults({});
    setProblem(null);
    setTheirs(null);
    try {
      const saved = await api.call('updatePortal', { ...of, body: updateOf(base, draft, readAt) });
      restart(saved, false);
      onSaved(saved);
      toast({ text: textIn({ en, de }, ({ messages }) => messages.saved) });
    } catch (error) {
      const found = fieldFault(error);
      if (found && found.field in draft) {
        setFaults({ [found.field]: found.text });
        focusFirstError(form.current);
      } else {
        const now = await changedMeanwhile(error, readAt, () => api.call('getPortal', of) as Promise<Portal>);
        setTheirs(now);
        setProblem(now ? null : error);
      }
    } finally {
      setBusy(false);
    }
  };
  const takeOver = (now: Portal, keep: boolean): void => {
    restart(now, keep);
    onSaved(now);
    setTheirs(null);
  };

  return (
    <>
      <div className="editor-switch">
        <Choice
          id="editor-shown"
          label={messages.what}
          value={shown}
          options={[
            ['form', messages.showForm],
            ['preview', messages.showPreview],
          ]}
          onChoose={setShown}
        />
      </div>
      <div className="editor" data-shown={shown}>
        <form ref={form} className="editor-form" noValidate aria-busy={busy} onSubmit={save}>
          {state.isRestored ? <Notice tone="plain">{shell.restored}</Notice> : null}
          <Settings draft={draft} faults={faults} change={state.change} storageUsed={portal.storage_used} />
          <Mails portalId={portal.id} draft={draft} />
          <div className="editor-end">
            {theirs ? (
              <ConflictNotice text={messages.conflict} onChoose={(keep) => takeOver(theirs, keep)} />
            ) : problem === null ? null : (
              <Notice tone="bad">{fault(problem)}</Notice>
            )}
            {Object.keys(faults).length > 0 ? <Notice tone="bad">{messages.mistakes}</Notice> : null}
            <div className="editor-acts">
              <button type="submit" className="button button-primary" disabled={busy || !isChanged}>
                {busy ? messages.saving : messages.save}
              </button>
              {isChanged ? (
                <button type="button" className="button button-quiet" disabled={busy} onClick={() => restart(portal, false)}>
                  {messages.discard}
                </button>
              ) : null}
              <span className="hint" role="status">
                {isChanged ? messages.unsaved : ''}
              </span>
            </div>
          </div>
        </form>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
        <section className="editor-preview" aria-label={messages.preview} tabIndex={0}>
          <Preview portal={publicOf(portal.id, draft, portal.custom_metadata ?? null, branding)} saved={saved} />
        </section>
      </div>
    </>
  );
}
