import { type DragEvent, useId, useRef, useState } from 'react';
import { limits } from '#protocol/limits.ts';
import { de } from '../../../messages/de/console/portal-editor.ts';
import { en } from '../../../messages/en/console/portal-editor.ts';
import { useTeam } from '../../app/account.ts';
import { defineCalls, useApi } from '../../app/api.ts';
import { useTexts } from '../../app/texts.ts';
import { useFaultSentence } from '../../ui/fault-text.ts';
import { useFieldFault } from '../use-field-fault.ts';
import { base64Of, shrunk } from './image-file.ts';

const calls = defineCalls({ createImage: { method: 'POST', path: '/v1/teams/{team_id}/images', reply: { status: 201 } } });

interface ImageFieldProps {
  readonly label: string;
  /** Its address; empty for none. */
  readonly value: string;
  readonly error: string | null;
  readonly onChange: (address: string) => void;
}

/** A picture that is chosen or dropped, and uploaded at once. */
export function ImageField({ label, value, error, onChange }: ImageFieldProps) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(calls);
  const fieldFault = useFieldFault();
  const fault = useFaultSentence();
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const upload = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    setBusy(true);
    setProblem(null);
    try {
      const data = await base64Of(await shrunk(file, limits.imageBytes));
      onChange((await api.call('createImage', { params: { team_id: team.id }, body: { data } })).url);
    } catch (thrown) {
      const found = fieldFault(thrown);
      setProblem(found?.text ?? fault(thrown));
    } finally {
      setBusy(false);
    }
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    void upload(event.dataTransfer.files[0]);
  };
  const shown = problem ?? error;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one more way; the button does the same
    <div className="field image-field" aria-busy={busy} onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <span id={id} className="image-field-label">
        {label}
      </span>
      <div className="image-field-box">
        {value === '' ? (
          <span className="hint">{messages.noImage}</span>
        ) : (
          <img src={value.startsWith(location.origin) ? value : undefined} alt={label} />
        )}
        <div className="image-field-acts">
          <button
            type="button"
            className="button button-small"
            aria-describedby={id}
            disabled={busy}
            onClick={() => input.current?.click()}
          >
            {busy ? messages.uploading : value === '' ? messages.chooseImage : messages.replaceImage}
          </button>
          {value === '' ? null : (
            <button type="button" className="button button-small button-quiet" aria-describedby={id} onClick={() => onChange('')}>
              {messages.removeImage}
            </button>
          )}
        </div>
      </div>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept=".png,.jpg,.jpeg,.webp,.svg,image/png,image/jpeg,image/webp,image/svg+xml"
        onChange={(event) => {
          void upload(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      {shown ? (
        <p className="field-error" role="alert">
          {shown}
        </p>
      ) : null}
      <p className="hint">{messages.imageHint}</p>
    </div>
  );
}
