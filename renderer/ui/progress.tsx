/** A bar from 0 to 1. */
export function Progress({ share, label, tone }: { share: number; label: string; tone: 'moving' | 'waiting' | 'bad' }) {
  const percent = Math.floor(share * 100);
  return (
    <div
      className={`progress progress-${tone}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <div className="progress-fill" style={{ transform: `scaleX(${share})` }} />
    </div>
  );
}
