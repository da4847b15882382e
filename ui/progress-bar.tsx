interface ProgressBarProps {
  /** 0 to 1; null where nobody knows. */
  readonly share: number | null;
  readonly label: string;
  /** Said in place of the percentage. */
  readonly text?: string | undefined;
  readonly tone: 'moving' | 'waiting' | 'bad';
  readonly large?: boolean;
}

/** A bar that fills from the start of the line, or one whose stripes say that something is done and nobody knows how much. */
export function ProgressBar({ share, label, text, tone, large = false }: ProgressBarProps) {
  return (
    <div
      className={`progress progress-${tone}${large ? ' progress-large' : ''}${share === null ? ' progress-open' : ''}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share === null ? undefined : Math.floor(share * 100)}
      aria-valuetext={text}
    >
      <div className="progress-fill" style={share === null ? undefined : { transform: `scaleX(${share})` }} />
    </div>
  );
}
