/** Which transfers are chosen: some by name, or all that match but some. */
export type Selection =
  | { readonly mode: 'some'; readonly ids: ReadonlySet<string> }
  | { readonly mode: 'all'; readonly except: ReadonlySet<string> };

export const nothing: Selection = { mode: 'some', ids: new Set() };
export const everything: Selection = { mode: 'all', except: new Set() };

export function isChosen(selection: Selection, id: string): boolean {
  return selection.mode === 'some' ? selection.ids.has(id) : !selection.except.has(id);
}

export function countChosen(selection: Selection, total: number): number {
  return selection.mode === 'some' ? selection.ids.size : Math.max(0, total - selection.except.size);
}

/** With these chosen, or not chosen any more. */
export function choose(selection: Selection, ids: Iterable<string>, chosen: boolean): Selection {
  const named = new Set(selection.mode === 'some' ? selection.ids : selection.except);
  for (const id of ids) {
    if (chosen === (selection.mode === 'some')) named.add(id);
    else named.delete(id);
  }
  return selection.mode === 'some' ? { mode: 'some', ids: named } : { mode: 'all', except: named };
}

export function toggle(selection: Selection, id: string): Selection {
  return choose(selection, [id], !isChosen(selection, id));
}
