import { useEffect, useMemo, useState } from 'react';
import { deliveryFormats, type Form } from '#protocol/hosted/forms.ts';
import { unsavedOf, useUnsaved } from '../../ui/unsaved.ts';
import { type DraftField, draftFields, fieldsOf, withKeys } from './form-draft.ts';

/** A form as somebody is changing it. */
export interface FormDraft {
  readonly name: string;
  readonly disabled: boolean;
  readonly formats: readonly string[];
  readonly fields: readonly DraftField[];
}

const draftOf = ({ name, disabled, delivery_formats: formats, fields }: Form): FormDraft => ({
  name,
  disabled,
  formats,
  fields: draftFields(fields),
});

/** The form as the API takes it. */
const bodyOf = ({ name, disabled, formats, fields }: FormDraft) => ({
  name,
  disabled,
  delivery_formats: deliveryFormats.filter((one) => formats.includes(one)),
  fields: fieldsOf(fields),
});

function restored(form: Form): FormDraft {
  const unsaved = unsavedOf<FormDraft>(`form-${form.id}`);
  return unsaved ? { ...unsaved, fields: withKeys(unsaved.fields) } : draftOf(form);
}

/** A form that is being changed. Unsaved changes outlive leaving the view, and closing the tab asks first. */
export function useFormDraft(form: Form) {
  const [from, setFrom] = useState(form);
  const [draft, setDraft] = useState(() => restored(form));
  const [isRestored, setRestored] = useState(() => unsavedOf(`form-${form.id}`) !== null);
  const body = useMemo(() => bodyOf(draft), [draft]);
  const isChanged = useMemo(() => JSON.stringify(body) !== JSON.stringify(bodyOf(draftOf(from))), [body, from]);
  useUnsaved(`form-${form.id}`, isChanged ? draft : null);
  // What somebody else saved is taken over, unless it would take away what is not saved here.
  useEffect(() => {
    if (isChanged || form.updated_at === from.updated_at) return;
    setFrom(form);
    setDraft(draftOf(form));
  }, [form, from, isChanged]);
  return {
    draft,
    body,
    /** When what it began with was last changed. */
    readAt: from.updated_at,
    isChanged,
    /** Whether the changes are from an earlier visit of this tab. */
    isRestored: isRestored && isChanged,
    change: (next: Partial<FormDraft>): void => setDraft((before) => ({ ...before, ...next })),
    /** Begins anew with a form as it is now. `keep`: with the fields as they are here. */
    restart(now: Form, keep: boolean): void {
      setFrom(now);
      if (!keep) setDraft(draftOf(now));
      setRestored(false);
    },
  };
}
