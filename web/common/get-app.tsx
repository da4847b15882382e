interface GetAppProps {
  /** The app's address; null shows nothing. */
  readonly downloadUrl: string | null;
  readonly text: string;
}

/** Links to the app in a new tab, so that the current page keeps its state. */
export function GetApp({ downloadUrl, text }: GetAppProps) {
  if (downloadUrl === null) return null;
  return (
    <>
      {' '}
      <a href={downloadUrl} target="_blank" rel="noreferrer">
        {text}
      </a>
    </>
  );
}
