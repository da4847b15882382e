export interface GetAppProps {
  /** Null shows nothing. */
  readonly place: string | null;
  readonly text: string;
}

/** Leads to where the app can be had, beside the page: what was begun there goes on. */
export function GetApp({ place, text }: GetAppProps) {
  if (place === null) return null;
  return (
    <>
      {' '}
      <a href={place} target="_blank" rel="noreferrer">
        {text}
      </a>
    </>
  );
}
