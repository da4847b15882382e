/** What every view is given. It stands apart from the table of views, which imports each of them. */
export interface ViewProps {
  /** Values of the names in the view's path, such as `package_id`. */
  readonly params: Readonly<Record<string, string>>;
}
