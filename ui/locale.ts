/** The same entries with other texts: what a translation must have. */
export type SameShape<T> = T extends (...args: infer A) => string
  ? (...args: A) => string
  : T extends string
    ? string
    : { readonly [K in keyof T]: SameShape<T[K]> };
