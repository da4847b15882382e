/** Leads to the first field that is wrong, once it is marked: it may be out of sight in a long form. */
export function showFirstProblem(form: Element): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
