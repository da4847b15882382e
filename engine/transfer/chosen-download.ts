import type { DownloadRecord, Newcomer, Priority } from './record.ts';

/** A download of a package that an automation has chosen, by a link that it made for itself. */
export interface ChosenDownload {
  readonly automationId: string;
  readonly restricted: boolean;
  /** The package's name. */
  readonly name: string;
  readonly priority?: Priority | undefined;
  /** Milliseconds since 1970. */
  readonly dueAt?: number | undefined;
  readonly serviceUrl: string;
  readonly packageId: string;
  readonly link: { readonly id: string; readonly secret: string };
  /** Bytes; an estimate where only some files are wanted. */
  readonly totalBytes: number;
  readonly dstFolder: string;
  /** `null`: all. */
  readonly fileIds: readonly string[] | null;
  readonly createPackageFolder: boolean;
}

/** Its record. The link is opened when the download begins, and again where its token has ended. */
export function chosenDownload(common: Newcomer, chosen: ChosenDownload): DownloadRecord {
  const { serviceUrl, link } = chosen;
  return {
    ...common,
    kind: 'download',
    name: chosen.name,
    totalBytes: chosen.totalBytes,
    request: {
      serviceUrl,
      source: { kind: 'link', linkId: link.id, shownUrl: `${serviceUrl}/d/${link.id}` },
      automationId: chosen.automationId,
      dstFolder: chosen.dstFolder,
      fileIds: chosen.fileIds,
      createPackageFolder: chosen.createPackageFolder,
      // Nobody is there to be asked: the folder was chosen for this.
      allowHidden: true,
      collision: 'keep_both',
    },
    facts: { packageId: chosen.packageId, root: '', planned: false, ...(chosen.restricted ? { restricted: true } : {}) },
    secrets: { linkSecret: link.secret },
  };
}
