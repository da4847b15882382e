export interface GetAppProps {
  /** The app's address; null shows nothing. */
  readonly place: string | null;
  readonly text: string;
}

/** Links to the app in a new tab, so that the current page keeps its state. */
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
