/** All texts of messages. Values are already sanitised (clean.ts); the text and HTML parts escape them. */

const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** `1.4 GB`: decimal units, as on the download page. */
function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const text = unit === 0 || value >= 99.95 ? value.toFixed(0) : value.toFixed(1).replace(/\.0$/, '');
  return bytes === 1 ? '1 byte' : `${text} ${units[unit]}`;
}

const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** `28 November 2026 at 14:00 UTC`. Readers may be in any time zone, so only UTC is right for all. */
export const formatMoment = (at: Date): string => `${moment.format(at)} UTC`;

export const formatContent = (files: number, bytes: number): string =>
  `${files === 1 ? '1 file' : `${files.toLocaleString('en-GB')} files`}, ${formatSize(bytes)}`;

export const messages = {
  link: {
    subject: (sender: string, name: string) => `${sender} sent you “${name}”`,
    heading: (name: string) => name,
    opening: (sender: string) => `${sender} sent you files.`,
    closing: (sender: string) => `You get this message because ${sender} named your address. Whoever has the link can download the files.`,
  },
  upload: {
    subject: (portal: string, name: string) => `New upload in ${portal}: “${name}”`,
    heading: (name: string) => name,
    opening: (sender: string, portal: string) => `${sender} uploaded files to ${portal}.`,
    copy: 'This is a copy for you.',
    closing: (portal: string) =>
      `You get this message because your address is among those that ${portal} tells of uploads. Whoever has the link can download the files.`,
  },
  receipt: {
    subject: (name: string) => `You sent “${name}”`,
    heading: (name: string) => name,
    opening: 'Your files are on their way: each recipient was sent a link.',
    closing: 'You get this message because you sent the files from your Team.',
  },
  uploadReceipt: {
    subject: (portal: string) => `Your upload to ${portal} has arrived`,
    heading: 'Your upload has arrived',
    opening: (portal: string) => `Your files have arrived at ${portal}.`,
    closing: 'You get this message because your address was given as that of the sender. If it was not you, you need not do anything.',
  },
  labels: {
    from: 'From',
    to: 'To',
    content: 'Content',
    expires: 'Available until',
    password: 'Password',
    uploadedTo: 'Uploaded to',
    note: (sender: string) => `${sender} writes:`,
    form: 'Form',
  },
  neverExpires: 'No end set',
  passwordNeeded: 'Needed. It is not in this message: ask the sender for it.',
  passwordOfTeam: 'Needed. It is not in this message: your Team has it.',
  more: (count: number) => `and ${count.toLocaleString('en-GB')} more`,
  download: 'Download',
  address: 'Or open this address:',
  yes: 'Yes',
  no: 'No',
} as const;
