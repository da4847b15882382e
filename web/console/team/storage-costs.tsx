import { useMemo } from 'react';
import { SelectField, TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/team.ts';
import { en } from '../../messages/en/console/team.ts';
import { useTexts } from '../app/texts.ts';
import type { PartProps } from './draft.ts';

/** What storage costs the Team, so that Home can say what a day costs. */
export function StorageCosts({ draft, set, errorOf }: PartProps) {
  const { messages, tag } = useTexts({ en, de });
  const currencies = useMemo(() => {
    const names = new Intl.DisplayNames(tag, { type: 'currency' });
    return Intl.supportedValuesOf('currency').map((code) => [code, names.of(code) ?? code] as const);
  }, [tag]);
  const { storage_currency: chosen } = draft;
  return (
    <section className="panel">
      <div>
        <h2>{messages.storageCosts}</h2>
        <p className="hint">{messages.storageCostsText}</p>
      </div>
      <div className="team-pair">
        <TextField
          label={messages.storagePrice}
          hint={messages.storagePriceHint}
          type="number"
          min={0}
          step="any"
          inputMode="decimal"
          value={draft.storage_price === '0' ? '' : draft.storage_price}
          error={errorOf('storage_price')}
          onChange={({ target }) => set({ storage_price: target.value === '' ? '0' : target.value })}
        />
        <SelectField
          label={messages.storageCurrency}
          value={chosen}
          error={errorOf('storage_currency')}
          onChange={({ target }) => set({ storage_currency: target.value })}
        >
          <option value="">{messages.storageNoCurrency}</option>
          {chosen === '' || currencies.some(([code]) => code === chosen) ? null : <option value={chosen}>{chosen}</option>}
          {currencies.map(([code, name]) => (
            <option key={code} value={code}>
              {code} – {name}
            </option>
          ))}
        </SelectField>
      </div>
    </section>
  );
}
