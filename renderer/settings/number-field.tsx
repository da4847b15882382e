import { useEffect, useState } from 'react';
import { TextField } from '#ui/field.tsx';

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** Number of decimal places. */
  readonly decimals?: number;
  readonly hint?: string;
  /** Called with a number in range after typing has ended. */
  readonly onSettle: (value: number) => void;
}

/** A number that takes effect on blur or Enter, not while it is half typed. A value out of range is clamped. */
export function NumberField({ label, value, min, max, decimals = 0, hint, onSettle }: NumberFieldProps) {
  const [typed, setTyped] = useState(String(value));
  useEffect(() => setTyped(String(value)), [value]);
  const settle = () => {
    const given = Number(typed);
    const factor = 10 ** decimals;
    const next = typed.trim() === '' || !Number.isFinite(given) ? value : Math.min(max, Math.max(min, Math.round(given * factor) / factor));
    setTyped(String(next));
    if (next !== value) onSettle(next);
  };
  return (
    <TextField
      label={label}
      type="number"
      min={min}
      max={max}
      step={decimals === 0 ? 1 : 'any'}
      inputMode="decimal"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={settle}
      onKeyDown={(event) => event.key === 'Enter' && settle()}
      hint={hint}
    />
  );
}
