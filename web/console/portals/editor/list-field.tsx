import { useState } from 'react';
import { TextAreaField } from '#ui/field.tsx';

interface ListFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly error: string | null;
  readonly value: readonly string[];
  readonly onChange: (items: string[]) => void;
}

const itemsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n,;]+/)
      .map((item) => item.trim())
      .filter(Boolean),
  ),
];

/** Several short texts, one a line or with commas between. What is typed stays as typed until it means something else. */
export function ListField({ label, hint, error, value, onChange }: ListFieldProps) {
  const [typed, setTyped] = useState('');
  const text = JSON.stringify(itemsIn(typed)) === JSON.stringify(value) ? typed : value.join('\n');
  return (
    <TextAreaField
      label={label}
      hint={hint}
      error={error}
      spellCheck={false}
      value={text}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(itemsIn(event.target.value));
      }}
    />
  );
}
