import type { ReactNode } from 'react';
import type { Draft, DraftField } from './draft.ts';

export interface SettingsProps {
  readonly draft: Draft;
  /** What the service said of fields. */
  readonly faults: Readonly<Record<string, string>>;
  readonly change: (changes: Partial<Draft>) => void;
}

type TextSetting = { [F in DraftField]: Draft[F] extends string ? F : never }[DraftField];
type Switch = { [F in DraftField]: Draft[F] extends boolean ? F : never }[DraftField];
type NumberSetting = { [F in DraftField]: Draft[F] extends number ? F : never }[DraftField];

/** What fields of each kind have in common. */
export function bind({ draft, faults, change }: SettingsProps) {
  const error = (field: DraftField): string | null => faults[field] ?? null;
  return {
    error,
    text: (field: TextSetting) => ({
      value: draft[field],
      error: error(field),
      onChange: ({ target }: { readonly target: { readonly value: string } }) => change({ [field]: target.value }),
    }),
    check: (field: Switch) => ({
      checked: draft[field],
      error: error(field),
      onChange: ({ target }: { readonly target: { readonly checked: boolean } }) => change({ [field]: target.checked }),
    }),
    /** `unit`: how many of the setting's own units one of the shown ones is. */
    number: (field: NumberSetting, unit = 1) => ({
      type: 'number',
      min: 0,
      value: String(draft[field] / unit),
      error: error(field),
      onChange: ({ target }: { readonly target: { readonly value: string } }) =>
        change({ [field]: Math.max(0, Math.round(Number(target.value || '0') * unit)) }),
    }),
  };
}

export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="panel form">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
