interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly id: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, string])[];
  readonly onChoose: (value: Value) => void;
}

/** Radio buttons that look like one switch, for a few options. */
export function Choice<Value extends string>({ label, id, value, options, onChoose }: ChoiceProps<Value>) {
  return (
    <fieldset className="choice">
      <legend className="visually-hidden">{label}</legend>
      {options.map(([one, text]) => (
        <label key={one} className="choice-option">
          <input type="radio" name={id} value={one} checked={value === one} onChange={() => onChoose(one)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
