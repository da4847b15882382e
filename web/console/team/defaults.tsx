import { noticeKinds } from '#protocol/notices.ts';
import { CheckField, OptionsField, SelectField, TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/team.ts';
import { en } from '../../messages/en/console/team.ts';
import { useTexts } from '../app/texts.ts';
import type { PartProps } from './draft.ts';

const MiB = 1024 * 1024;
/** Sizes that are offered; another one that was set by the API is offered as well. */
const chunkSizes = [8, 16, 32, 64, 100, 256, 512].map((size) => size * MiB);

/** What holds where a sender says nothing. */
export function Defaults({ draft, set, errorOf }: PartProps) {
  const { messages, size } = useTexts({ en, de });
  const chunk = Number(draft.chunk_size_default);
  const isForEver = draft.custom_expiry_enabled && draft.custom_expiry_default === '-1';
  return (
    <section className="panel">
      <div>
        <h2>{messages.defaults}</h2>
        <p className="hint">{messages.defaultsText}</p>
      </div>
      <div className="team-pair">
        <TextField
          label={messages.expiry}
          type="number"
          min={1}
          disabled={isForEver}
          value={isForEver ? '' : draft.custom_expiry_enabled ? draft.custom_expiry_default : '10'}
          error={errorOf('custom_expiry_default')}
          onChange={({ target }) => set({ custom_expiry_enabled: true, custom_expiry_default: target.value })}
        />
        <CheckField
          label={messages.forEver}
          checked={isForEver}
          onChange={({ target }) => set({ custom_expiry_enabled: true, custom_expiry_default: target.checked ? '-1' : '10' })}
        />
      </div>
      <div className="team-pair">
        <CheckField
          label={messages.downloadLimit}
          hint={messages.downloadLimitHint}
          checked={draft.download_limit_enabled}
          onChange={({ target }) =>
            set({
              download_limit_enabled: target.checked,
              ...(target.checked && draft.download_limit_default === '0' && { download_limit_default: '5' }),
            })
          }
        />
        {draft.download_limit_enabled ? (
          <TextField
            label={messages.downloads}
            type="number"
            min={1}
            value={draft.download_limit_default}
            error={errorOf('download_limit_default')}
            onChange={({ target }) => set({ download_limit_default: target.value })}
          />
        ) : null}
      </div>
      <CheckField
        label={messages.verify}
        hint={messages.verifyHint}
        checked={draft.verify_recipient_default || draft.verify_recipient_required}
        disabled={draft.verify_recipient_required}
        onChange={({ target }) => set({ verify_recipient_default: target.checked })}
      />
      <SelectField
        label={messages.chunkSize}
        hint={messages.chunkSizeHint}
        value={draft.chunk_size_default}
        error={errorOf('chunk_size')}
        onChange={({ target }) => set({ chunk_size_default: target.value })}
      >
        <option value="0">{messages.chunkSizeByFile}</option>
        {[...new Set([...chunkSizes, chunk])]
          .filter((bytes) => bytes > 0)
          .toSorted((a, b) => a - b)
          .map((bytes) => (
            <option key={bytes} value={String(bytes)}>
              {size(bytes)}
            </option>
          ))}
      </SelectField>
      <OptionsField label={messages.notify} hint={messages.notifyHint} error={errorOf('notify_default')} multiple>
        {noticeKinds.map((kind) => (
          <CheckField
            key={kind}
            label={messages.notices[kind]}
            checked={draft.notify_default.includes(kind)}
            onChange={({ target }) =>
              set({ notify_default: noticeKinds.filter((each) => (each === kind ? target.checked : draft.notify_default.includes(each))) })
            }
          />
        ))}
      </OptionsField>
    </section>
  );
}
