import { useMemo } from 'react';
import { qrMatrix } from './qr/matrix.ts';

/** Light modules around a code, without which readers do not find it. */
const margin = 4;

/** A text as a QR code, black on white in both themes, since many readers see no other. `label` says what it leads to. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { path, size } = useMemo(() => {
    const rows = qrMatrix(text);
    const marks = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x + margin} ${y + margin}h1v1h-1z`] : [])));
    return { path: marks.join(''), size: rows.length + 2 * margin };
  }, [text]);
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
