export interface GetAppProps {
  /** The app's address; null shows nothing. */
  readonly downloadUrl: string | null;
  readonly text: string;
}

/** Links to the app in a new tab, so that the current page keeps its state. */
export function GetApp({ downloadUrl: place, text }: GetAppProps) {
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
