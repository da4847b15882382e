interface ProgressBarProps {
  /** 0 to 1. */
  readonly share: number;
  readonly label: string;
  /** Said in place of the percentage. */
  readonly text?: string | undefined;
  readonly tone: 'moving' | 'waiting' | 'bad';
  readonly large?: boolean;
}

/** A bar that fills from the start of the line. */
export function ProgressBar({ share, label, text, tone, large = false }: ProgressBarProps) {
  return (
    <div
      className={`progress progress-${tone}${large ? ' progress-large' : ''}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.floor(share * 100)}
      aria-valuetext={text}
    >
      <div className="progress-fill" style={{ transform: `scaleX(${share})` }} />
    </div>
  );
}
