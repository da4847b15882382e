import type { Newcomer, NewFile, Priority, UploadRecord } from './record.ts';

/** An upload whose files an automation has chosen. */
export interface ChosenUpload {
  readonly automationId: string;
  readonly restricted: boolean;
  readonly name: string;
  readonly priority?: Priority | undefined;
  /** Milliseconds since 1970. */
  readonly dueAt?: number | undefined;
  /** The watched folder. */
  readonly folder: string;
  readonly files: readonly NewFile[];
  readonly description: string;
  /** The package stays open for files that come into this entry, and they may grow. */
  readonly growing?: UploadRecord['request']['growing'];
  /** To a Team, or through a Portal. */
  readonly to:
    | { readonly serviceUrl: string; readonly sessionId: string; readonly teamId: string; readonly recipients: readonly string[] }
    | { readonly serviceUrl: string; readonly portal: NonNullable<UploadRecord['request']['portal']>; readonly accessCode?: string };
}

/** Its record: nothing is left to scan, so that exactly these files are sent. */
export function chosenUpload(
  common: Newcomer,
  { automationId, restricted, name, folder, files, description, growing, to }: ChosenUpload,
): UploadRecord {
  const target =
    'portal' in to
      ? { serviceUrl: to.serviceUrl, teamId: '', recipients: [], portal: to.portal }
      : { serviceUrl: to.serviceUrl, teamId: to.teamId, sessionId: to.sessionId, recipients: to.recipients };
  return {
    ...common,
    kind: 'upload',
    name,
    totalBytes: files.reduce((sum, { size }) => sum + size, 0),
    totalFiles: files.length,
    request: { ...target, automationId, paths: [folder], description, autoFinalize: true, ...(growing ? { growing } : {}) },
    added: [],
    facts: {
      scanned: true,
      rootsScanned: 1,
      package: { state: 'none' },
      ...(growing ? { collecting: true } : {}),
      ...(restricted ? { restricted } : {}),
    },
    secrets: 'portal' in to && to.accessCode !== undefined ? { accessCode: to.accessCode } : {},
  };
}
