const fields = 'input:not([type="checkbox"], [type="radio"], :disabled), select:not(:disabled), textarea:not(:disabled)';

/**
 * Puts the keyboard into the first field that is empty, else into the first one. A dialog without fields stays as the
 * browser has it, and so does one on a touch screen, where a keyboard would come up over it.
 */
export function focusFirstField(dialog: Element): void {
  if (matchMedia('(pointer: coarse)').matches) return;
  const seen = [...dialog.querySelectorAll<HTMLInputElement>(fields)].filter((field) => field.checkVisibility());
  (seen.find(({ value }) => value === '') ?? seen[0])?.focus();
}
