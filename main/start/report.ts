import { bytesText, countText, printable, speedText } from '../cli/format.ts';
import type { Crossing, Leg } from './crossing.ts';

/** The result of a crossing, for a person. */
export function crossingReport(path: string, { up, down, received, comparison }: Crossing): string {
  const lines = [
    '',
    `Sent      ${path}`,
    `          ${legText(up)}`,
    `Received  ${received}`,
    `          ${legText(down)}`,
    comparison.differences.length === 0
      ? `Compared  ${countText(comparison.files, 'file')}, ${bytesText(comparison.bytes)}: every byte is the same.`
      : `Compared  ${countText(comparison.differences.length, 'difference')}:`,
  ];
  const shown = comparison.differences.slice(0, 20);
  for (const difference of shown) lines.push(`          ${printable(difference)}`);
  const more = comparison.differences.length - shown.length;
  if (more > 0) lines.push(`          and ${more} more`);
  return lines.join('\n');
}

function legText({ bytes, files, seconds }: Leg): string {
  return `${countText(files, 'file')}, ${bytesText(bytes)} in ${seconds.toFixed(2)} s: ${speedText(bytes / seconds)}`;
}

interface Addresses {
  readonly agentUrl: string;
  readonly serviceUrl: string;
  readonly link: string;
  /** Where mails can be read; null if they are sent. */
  readonly mailsUrl: string | null;
  readonly owner: { readonly email: string; readonly password: string };
  readonly factsFile: string;
  readonly first: boolean;
}

/** The addresses and files of the running system. */
export function addressReport({ agentUrl, serviceUrl, link, mailsUrl, owner, factsFile, first }: Addresses): string {
  return [
    '',
    `The console        ${serviceUrl}/`,
    `Sign in            ${owner.email}, password ${first ? owner.password : `in ${factsFile}`}`,
    ...(first ? [`                   (kept in ${factsFile})`] : []),
    ...(mailsUrl === null
      ? []
      : [`Mails              ${mailsUrl}`, '                   (there is no mail server: what would be sent is read here)']),
    `The agent's page   ${agentUrl}/`,
    '                   (the agent is signed in already)',
    `Agent API          ${agentUrl}/docs`,
    `Service API        ${serviceUrl}/docs`,
    `Download link      ${link}`,
    '',
    'Press Ctrl-C to stop.',
  ].join('\n');
}
