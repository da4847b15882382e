import { useState } from 'react';
import type { FormField } from '#protocol/hosted/forms.ts';
import { limits } from '#protocol/limits.ts';
import { SelectField, TextAreaField, TextField } from '#ui/field.tsx';
import { ChevronDownIcon, ChevronRightIcon, CloseIcon, GripIcon } from '#ui/icons.tsx';
import { de } from '../../../messages/de/console/portal-editor.ts';
import { en } from '../../../messages/en/console/portal-editor.ts';
import { useTexts } from '../../app/texts.ts';
import { type DraftField, hasOptions } from './form-draft.ts';

interface FieldRowProps {
  readonly field: DraftField;
  readonly index: number;
  readonly isOpen: boolean;
  /** What the service said of it, and of which of its properties. */
  readonly fault: { readonly property: string; readonly text: string } | null;
  readonly drag: {
    readonly isDragged: boolean;
    readonly isOver: boolean;
    readonly begin: () => void;
    /** The pointer is this far down in the window, in pixels. */
    readonly to: (y: number) => void;
    readonly drop: () => void;
    readonly cancel: () => void;
  };
  readonly onToggle: () => void;
  readonly onChange: (changes: Partial<DraftField>) => void;
  readonly onMove: (by: number) => void;
  readonly onRemove: () => void;
}

const steps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };
const visibilities = ['required', 'optional', 'readonly', 'hidden'] as const satisfies readonly FormField['visibility'][];

/** One field of the form builder: moved by its grip, changed where it is opened. */
export function FieldRow({ field, index, isOpen, fault, drag, onToggle, onChange, onMove, onRemove }: FieldRowProps) {
  const { messages, number } = useTexts({ en, de });
  const texts = messages.form;
  const [said, setSaid] = useState('');
  const title = field.label || field.name || texts.untitled;
  return (
    <li className="field-row" data-dragged={drag.isDragged} data-over={drag.isOver}>
      <div className="field-row-head">
        <button
          type="button"
          className="button button-quiet button-icon grip"
          aria-label={texts.move(title)}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            drag.begin();
          }}
          onPointerMove={(event) => {
            if (drag.isDragged) drag.to(event.clientY);
          }}
          onPointerUp={drag.drop}
          onPointerCancel={drag.cancel}
          onKeyDown={(event) => {
            const by = steps[event.key];
            if (by === undefined) return;
            event.preventDefault();
            setSaid(texts.moved(title, number(index + 1 + by)));
            onMove(by);
          }}
        >
          <GripIcon />
        </button>
        <button type="button" className="button button-quiet field-row-name" aria-expanded={isOpen} onClick={onToggle}>
          {isOpen ? <ChevronDownIcon /> : <ChevronRightIcon />} <span dir="auto">{title}</span>
        </button>
        <span className="hint">{texts.visibilities[field.visibility]}</span>
        <button type="button" className="button button-quiet button-icon" aria-label={texts.removeField(title)} onClick={onRemove}>
          <CloseIcon />
        </button>
        <span className="visually-hidden" role="status">
          {said}
        </span>
      </div>
      {isOpen ? <FieldDetails field={field} fault={fault} onChange={onChange} /> : null}
      {!isOpen && fault ? <p className="field-error">{fault.text}</p> : null}
    </li>
  );
}

function FieldDetails({ field, fault, onChange }: Pick<FieldRowProps, 'field' | 'fault' | 'onChange'>) {
  const { messages } = useTexts({ en, de });
  const texts = messages.form;
  const errorOf = (property: string): string | null => (fault?.property === property ? fault.text : null);
  const bind = (property: 'label' | 'name' | 'help' | 'default_value') => ({
    value: field[property] ?? '',
    error: errorOf(property),
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange({ [property]: target.value }),
  });
  return (
    <div className="form">
      <p className="hint">{texts.kinds[field.type]}</p>
      <TextField label={texts.label} maxLength={limits.nameLength} {...bind('label')} />
      <SelectField
        label={texts.visibility}
        error={errorOf('visibility')}
        value={field.visibility}
        onChange={(event) => onChange({ visibility: event.target.value as FormField['visibility'] })}
      >
        {visibilities.map((one) => (
          <option key={one} value={one}>
            {texts.visibilities[one]}
          </option>
        ))}
      </SelectField>
      {hasOptions(field.type) ? (
        <TextAreaField
          label={texts.options}
          hint={texts.optionsHint}
          error={errorOf('options')}
          value={(field.options ?? []).join('\n')}
          onChange={(event) => onChange({ options: event.target.value === '' ? [] : event.target.value.split('\n') })}
        />
      ) : null}
      <TextField label={texts.help} hint={texts.helpHint} maxLength={limits.nameLength} {...bind('help')} />
      <TextField label={texts.default} {...bind('default_value')} />
      <TextField label={texts.key} spellCheck={false} maxLength={limits.nameLength} {...bind('name')} />
      {errorOf('type') ? <p className="field-error">{errorOf('type')}</p> : null}
    </div>
  );
}
