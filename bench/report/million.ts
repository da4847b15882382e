import type { Cost, Million } from '../million.ts';
import { row } from './format.ts';

const mega = 1e6;

/** The results of a folder of very many files as Markdown. */
export function millionReport({ files, queueing, removing }: Million, loadBefore: number): string {
  const title = `### ${files.toLocaleString('en')} files of one byte in one folder`;
  const line = (step: string, cost: Cost, stateBytes: number): string =>
    row([
      step,
      cost.seconds.toFixed(1),
      cost.cpuSeconds.toFixed(1),
      (cost.peakBytes / mega).toFixed(0),
      (stateBytes / mega).toFixed(0),
      cost.longestAnswerMs.toFixed(0),
    ]);
  const reached = queueing.peakBytes <= 200 * 2 ** 20 ? 'reached' : 'missed';
  return [
    title,
    '',
    `The first byte was through after ${queueing.firstByteSeconds.toFixed(1)} s; when all had been found, ` +
      `${queueing.sent.toLocaleString('en')} had been sent. Agent's memory under 200 MiB (210 MB): ${reached}. ` +
      `Load average before: ${loadBefore.toFixed(1)}.`,
    '',
    row(['', 's', 'agent CPU-s', 'agent peak MB', 'state MB afterwards', 'longest answer ms']),
    row(['---', '---:', '---:', '---:', '---:', '---:']),
    line('found and queued', queueing, queueing.stateBytes),
    line('cancelled, removed, compacted', removing, removing.stateBytes),
    '',
  ].join('\n');
}
