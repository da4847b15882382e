/** A name that a program gives to a file while it writes it. */
export interface NotReadyName {
  /**
   * Shell-style (`glob.ts`), held against the name of a file and of each folder above it, or with `/` against its path
   * (`patterns.ts`), in upper or lower case unless told otherwise.
   */
  readonly pattern: string;
  readonly caseSensitive?: true;
  readonly program: string;
  /** Where it is documented; `null`: it was seen, and no public source says so. */
  readonly source: string | null;
}

/**
 * Names that mean "not yet": the file is looked at again until it has its real name. A name that means something else to
 * somebody would wait for ever, so only what is documented is listed, or what a path makes unmistakable. Not listed:
 * Aspera's `.aspx` (it is a web page, too, and may stay after the transfer). The manuals of RED and ARRI name no temporary
 * files: their cameras record under the clip's own name. None were found for Premiere and Media Encoder, Resolve, OffShoot
 * (Hedge), Silverstack and ShotPut either, which write under the last name.
 */
export const notReadyNames: readonly NotReadyName[] = [
  // Browsers
  { pattern: '*.part', program: 'Firefox', source: 'https://opencrdownloadfile.net/partial.html' },
  { pattern: '*.crdownload', program: 'Chrome, Edge, Opera', source: 'https://opencrdownloadfile.net/partial.html' },
  { pattern: '*.download', program: 'Safari', source: 'https://www.fileinfo.com/extension/download' },
  { pattern: '*.partial', program: 'IBM Aspera Connect, rclone', source: 'https://rclone.org/docs/#partial-suffix-string' },
  // Transfer tools
  {
    pattern: '*.aspera-ckpt',
    program: 'IBM Aspera Connect',
    source: 'https://community.ibm.com/community/user/discussion/aspera-desktop-client-creates-temp-0-byte-file-during-transfer',
  },
  { pattern: '*.filepart', program: 'WinSCP', source: 'https://winscp.net/eng/docs/resume' },
  {
    // A dot, the name, and six random letters or digits; one with a capital or a digit, so that `.settings.backup` is not taken for it.
    pattern: '.*.{[0-9A-Z]?????,?[0-9A-Z]????,??[0-9A-Z]???,???[0-9A-Z]??,????[0-9A-Z]?,?????[0-9A-Z]}',
    caseSensitive: true,
    program: 'rsync',
    source: 'https://download.samba.org/pub/rsync/rsync.1#opt--temp-dir',
  },
  { pattern: '.~tmp~', program: 'rsync --delay-updates', source: 'https://download.samba.org/pub/rsync/rsync.1#opt--delay-updates' },
  { pattern: '.rsync-partial', program: 'rsync --partial-dir', source: 'https://download.samba.org/pub/rsync/rsync.1#opt--partial-dir' },
  { pattern: '.syncthing.*.tmp', program: 'Syncthing', source: 'https://github.com/syncthing/syncthing/blob/main/lib/fs/tempname.go' },
  {
    pattern: '~syncthing~*.tmp',
    program: 'Syncthing on Windows',
    source: 'https://github.com/syncthing/syncthing/blob/main/lib/fs/tempname.go',
  },
  { pattern: '*.!qb', program: 'qBittorrent', source: 'https://fileinfo.com/extension/!qb' },
  { pattern: '*.!bt', program: 'BitTorrent', source: 'https://filetypedb.com/extension.php?ext=.!BT' },
  { pattern: '*.!ut', program: 'uTorrent', source: 'https://fileinfo.com/extension/!ut' },
  { pattern: '.in.*', program: 'lftp', source: 'https://systutorials.com/docs/linux/man/1-lftp' },
  { pattern: '.dropbox.cache/', program: 'Dropbox', source: 'https://help.dropbox.com/desktop-web/cache-folder' },
  {
    pattern: '*.tmp.drivedownload',
    program: 'Google Drive',
    source: 'https://umatechnology.org/what-is-file-tmp-drivedownload-and-can-i-remove-it',
  },
  // Editors
  { pattern: '**/Avid MediaFiles/MXF/Creating/', program: 'Avid Media Composer, while it writes media', source: null },
  { pattern: '~$*', program: 'Microsoft Office', source: 'https://support.microsoft.com/kb/211632' },
  { pattern: '.~lock.*#', program: 'LibreOffice', source: 'https://help.libreoffice.org/latest/en-US/text/shared/guide/collab.html' },
  { pattern: '*.tmp', program: 'many', source: 'https://fileinfo.com/extension/tmp' },
  // Cameras
  { pattern: '*.rsv', program: 'Sony cameras, while they record', source: 'https://rsv.repair/docs/spot-rsv-early/' },
];
