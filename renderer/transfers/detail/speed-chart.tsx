import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useFormat } from '../../messages/format.ts';
import { formatSpeed } from '../describe-transfer.ts';
import type { Speeds } from './speeds.ts';

const height = 168;

/** The current theme's colours, for the canvas, which does not apply CSS. */
function coloursOf(element: HTMLElement) {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  return { line: colour('--accent'), fill: colour('--accent-soft'), axis: colour('--ink-soft'), grid: colour('--line') };
}

/** A live chart of the speed. The page shows the current speed as text too. */
export default function SpeedChart({ speeds, now }: { speeds: Speeds; now: string }) {
  const format = useFormat();
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const latest = useRef(speeds);
  latest.current = speeds;

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const draw = (): void => {
      plot.current?.destroy();
      const { line, fill, axis, grid } = coloursOf(element);
      const look = { stroke: axis, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
      plot.current = new UPlot(
        {
          width: element.clientWidth,
          height,
          legend: { show: false },
          cursor: { y: false, points: { size: 6 } },
          scales: { y: { range: (_, __, max) => [0, Math.max(1_000, max * 1.15)] } },
          series: [{}, { stroke: line, width: 2, fill, spanGaps: false, points: { show: false } }],
          axes: [
            {
              ...look,
              size: 32,
              space: 90,
              values: (_, seconds) => seconds.map((at) => new Intl.DateTimeFormat(format.tag, { timeStyle: 'medium' }).format(at * 1_000)),
            },
            { ...look, size: 84, space: 36, values: (_, values) => values.map((value) => formatSpeed(format, value)) },
          ],
        },
        dataOf(latest.current),
        element,
      );
    };
    draw();
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    // The settings select a theme by an attribute of the document.
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributes: true });
    return () => {
      observer.disconnect();
      theme.disconnect();
      scheme.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [format]);

  useEffect(() => plot.current?.setData(dataOf(speeds)), [speeds]);

  return <div ref={box} className="speed-chart" role="img" aria-label={format.messages.transfers.detail.chart.label(now)} />;
}

const dataOf = ({ at, bps }: Speeds): UPlot.AlignedData => [[...at], [...bps]];
