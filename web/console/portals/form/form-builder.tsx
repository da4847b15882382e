import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { firstAnswers } from '#protocol/form-rules.ts';
import { deliveryFormats, type Form, type FormField } from '#protocol/hosted/forms.ts';
import { limits } from '#protocol/limits.ts';
import { CheckField, focusFirstError, OptionsField, TextField } from '#ui/field.tsx';
import { FormFields } from '#ui/form/form-fields.tsx';
import { de as formDe } from '#ui/form/messages/de.ts';
import { en as formEn } from '#ui/form/messages/en.ts';
import { MenuItem } from '#ui/menu.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../../messages/de/console/portal-editor.ts';
import { en } from '../../../messages/en/console/portal-editor.ts';
import { useTeam } from '../../app/account.ts';
import { useApi } from '../../app/api.ts';
import { textIn } from '../../app/text-in.ts';
import { useShellTexts, useTexts } from '../../app/texts.ts';
import { ConflictNotice, changedMeanwhile } from '../../ui/conflict-notice.tsx';
import { useFaultText } from '../../ui/fault-text.ts';
import { ConfirmDialog } from '../../ui/form-dialog.tsx';
import { MenuButton } from '../../ui/menu-button.tsx';
import { useToast } from '../../ui/toasts.tsx';
import { useFieldFault } from '../use-field-fault.ts';
import { formCalls } from './calls.ts';
import { FieldRow } from './field-row.tsx';
import { changed, type DraftField, moved, newField, singleKinds } from './form-draft.ts';
import { useFormDraft } from './use-form-draft.ts';

interface FormBuilderProps {
  readonly form: Form;
  readonly onChanged: (form: Form | null) => void;
}

/** Builds a form: fields in order, and beside them the form as senders see it. */
export function FormBuilder({ form, onChanged }: FormBuilderProps) {
  const { messages, language } = useTexts({ en, de });
  const texts = messages.form;
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const api = useApi(formCalls);
  const fieldFault = useFieldFault();
  const cache = useQueryClient();
  const toast = useToast();
  const fault = useFaultText();
  const element = useRef<HTMLFormElement>(null);
  const rows = useRef<HTMLOListElement>(null);
  const { draft, body, readAt, isChanged, isRestored, change, restart } = useFormDraft(form);
  const { name, disabled, formats, fields } = draft;
  const setFields = (next: readonly DraftField[]): void => change({ fields: next });
  const [opened, setOpened] = useState<string | null>(null);
  const [dragged, setDragged] = useState<{ readonly from: number; readonly over: number } | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ReactNode>(null);
  /** The form as somebody else has saved it meanwhile. */
  const [theirs, setTheirs] = useState<Form | null>(null);
  const [wrong, setWrong] = useState<{ readonly index: number; readonly property: string; readonly text: string } | null>(null);
  const [removing, setRemoving] = useState(false);

  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    setWrong(null);
    setTheirs(null);
    try {
      const saved = await api.call('updateForm', { params: { form_id: form.id }, body: { ...body, expected_updated_at: readAt } });
      restart(saved, false);
      onChanged(saved);
      toast({ text: textIn({ en, de }, ({ messages }) => messages.saved) });
    } catch (error) {
      const found = fieldFault(error);
      const [, index, property] = /^fields\[(\d+)\]\.(\w+)/.exec(found?.path ?? '') ?? [];
      if (found && index !== undefined && property !== undefined) {
        setWrong({ index: Number(index), property, text: found.text });
        setOpened(fields[Number(index)]?.key ?? null);
        focusFirstError(element.current);
      } else {
        const now = await changedMeanwhile(error, readAt, () => api.call('getForm', { params: { portal_id: form.portal_id } }));
        setTheirs(now);
        setProblem(now ? null : fault(error));
      }
    } finally {
      setBusy(false);
    }
  };
  const saveTemplate = async (): Promise<void> => {
    try {
      const { id } = await api.call('createFormTemplate', {
        params: { team_id: team.id },
        body: { name, delivery_formats: body.delivery_formats },
      });
      await api.call('updateFormTemplate', { params: { form_template_id: id }, body });
      await cache.invalidateQueries({ queryKey: ['team', team.id, 'form-templates'] });
      toast({ text: textIn({ en, de }, ({ messages }) => messages.form.templateSaved) });
    } catch (error) {
      setProblem(fault(error));
    }
  };
  const add = (type: FormField['type']): void => {
    const field = newField(type, texts.kinds[type], fields);
    setFields([...fields, field]);
    setOpened(field.key);
  };
  const offered = (Object.keys(texts.kinds) as FormField['type'][]).filter(
    (kind) => !(singleKinds.includes(kind) && fields.some(({ type }) => type === kind)),
  );

  return (
    <div className="editor">
      <form ref={element} className="editor-form" noValidate aria-busy={busy} onSubmit={save}>
        {isRestored ? <Notice tone="plain">{shell.restored}</Notice> : null}
        <section className="panel form">
          <TextField
            label={texts.name}
            maxLength={limits.nameLength}
            value={name}
            onChange={(event) => change({ name: event.target.value })}
          />
          <CheckField label={texts.enabled} checked={!disabled} onChange={(event) => change({ disabled: !event.target.checked })} />
          <OptionsField label={texts.delivery} multiple>
            {deliveryFormats.map((one) => (
              <label key={one} className="check">
                <input
                  type="checkbox"
                  checked={formats.includes(one)}
                  onChange={(event) =>
                    change({ formats: event.target.checked ? [...formats, one] : formats.filter((other) => other !== one) })
                  }
                />
                {texts.formats[one]}
              </label>
            ))}
          </OptionsField>
        </section>
        <section className="panel">
          <div className="panel-head">
            <h2>{texts.fields}</h2>
            <MenuButton label={texts.add} content={texts.add} className="button button-small">
              {offered.map((kind) => (
                <MenuItem key={kind} label={texts.kinds[kind]} onChoose={() => add(kind)} />
              ))}
            </MenuButton>
          </div>
          {fields.length === 0 ? <p className="hint">{texts.noFields}</p> : null}
          <ol ref={rows} className="field-rows">
            {fields.map((field, index) => (
              <FieldRow
                key={field.key}
                field={field}
                index={index}
                isOpen={opened === field.key}
                fault={wrong?.index === index ? wrong : null}
                drag={{
                  isDragged: dragged?.from === index,
                  isOver: dragged !== null && dragged.over === index && dragged.from !== index,
                  begin: () => setDragged({ from: index, over: index }),
                  to: (y) => setDragged({ from: index, over: placeAt(rows.current, y) ?? index }),
                  drop: () => {
                    if (dragged) setFields(moved(fields, dragged.from, dragged.over));
                    setDragged(null);
                  },
                  cancel: () => setDragged(null),
                }}
                onToggle={() => setOpened(opened === field.key ? null : field.key)}
                onChange={(changes) => setFields(changed(fields, field.key, changes))}
                onMove={(by) => setFields(moved(fields, index, index + by))}
                onRemove={() => setFields(fields.filter((one) => one.key !== field.key))}
              />
            ))}
          </ol>
        </section>
        <div className="editor-acts">
          <button type="button" className="button" onClick={() => void saveTemplate()}>
            {texts.saveTemplate}
          </button>
          <button type="button" className="button button-quiet" onClick={() => setRemoving(true)}>
            {texts.remove}
          </button>
        </div>
        <div className="editor-end">
          {theirs ? (
            <ConflictNotice
              text={texts.conflict}
              onChoose={(keep) => {
                restart(theirs, keep);
                onChanged(theirs);
                setTheirs(null);
              }}
            />
          ) : null}
          {problem === null ? null : <Notice tone="bad">{problem}</Notice>}
          {wrong === null ? null : <Notice tone="bad">{messages.mistakes}</Notice>}
          <div className="editor-acts">
            <button type="submit" className="button button-primary" disabled={busy || !isChanged || formats.length === 0}>
              {busy ? messages.saving : messages.save}
            </button>
            {isChanged ? (
              <button type="button" className="button button-quiet" disabled={busy} onClick={() => restart(form, false)}>
                {messages.discard}
              </button>
            ) : null}
            <span className="hint" role="status">
              {isChanged ? messages.unsaved : ''}
            </span>
          </div>
        </div>
      </form>
      <section className="editor-preview panel form" aria-labelledby="form-preview">
        <h2 id="form-preview">{texts.preview}</h2>
        <FormPreview fields={body.fields} messages={{ ...(language === 'de' ? formDe : formEn), readonly: texts.readonly }} />
      </section>
      {removing ? (
        <ConfirmDialog
          title={texts.removeTitle}
          submit={texts.remove}
          onSubmit={async () => {
            await api.call('deleteForm', { params: { form_id: form.id } });
            onChanged(null);
          }}
          onClose={() => setRemoving(false)}
        >
          <p>{texts.removeText}</p>
        </ConfirmDialog>
      ) : null}
    </div>
  );
}

/** The place of the row at a height of the window; null between rows. */
function placeAt(list: HTMLElement | null, y: number): number | null {
  const place = [...(list?.children ?? [])].findIndex((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return y >= top && y <= bottom;
  });
  return place < 0 ? null : place;
}

interface FormPreviewProps {
  readonly fields: readonly FormField[];
  readonly messages: Parameters<typeof FormFields>[0]['messages'];
}

/** The form as senders fill it in, to be tried. What is entered goes nowhere. */
function FormPreview({ fields, messages }: FormPreviewProps) {
  const { number } = useTexts({ en, de });
  const [entered, setEntered] = useState<Readonly<Record<string, string | boolean | readonly string[]>>>({});
  const answers = { ...firstAnswers(fields), ...entered };
  return (
    <FormFields
      fields={fields}
      answers={answers}
      onAnswer={(field, answer) => setEntered((now) => ({ ...now, [field]: answer }))}
      judged={false}
      messages={messages}
      number={number}
    />
  );
}
