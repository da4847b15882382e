/**
 * The manual page of the program, in man's own language, made of its `--help`: each command has its own help beside it.
 *
 * @param seconds its date, since 1970
 */
export function manualPage(version: string, help: string, seconds: number): string {
  const date = new Date(seconds * 1_000).toISOString().slice(0, 10);
  return [
    `.TH LONGSHORE 1 ${date} "Longshore ${version}" "User Commands"`,
    '.SH NAME',
    'longshore \\- moves large files between people and storage',
    '.SH SYNOPSIS',
    '.B longshore',
    '[\\fIoption\\fR ...] \\fIcommand\\fR [\\fIargument\\fR ...]',
    '.SH DESCRIPTION',
    '.nf',
    ...help.trimEnd().split('\n').map(escaped),
    '.fi',
    '.SH FILES',
    '.TP',
    '.I /etc/longshore/service.env',
    'settings of the service under systemd',
    '.TP',
    '.I /etc/longshore/agent.yaml',
    'settings of the agent under systemd',
    '.TP',
    '.I /var/lib/longshore\\-service, /var/lib/longshore',
    'their data',
    '.SH "SEE ALSO"',
    '.B longshore help',
    '.I command',
    '.PP',
    '/usr/share/doc/longshore/README.Debian',
    '',
  ].join('\n');
}

/** A line of its own: no escapes, and no request at its beginning. */
function escaped(line: string): string {
  const text = line.replaceAll('\\', '\\e').replaceAll('-', '\\-');
  return /^[.']/.test(text) ? `\\&${text}` : text;
}
