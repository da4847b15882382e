import { basename as posixBasename } from 'node:path/posix';
import type { FormField, FormValues } from '#protocol/hosted/forms.ts';
import type { JobPorts } from '../../transfer/job.ts';
import { previewPortal } from '../../transfer/previews.ts';
import type { PortalUploadRecord, UploadAutomation } from '../record.ts';
import { completeForm, fillForm } from '../rules/form-fill/fill-form.ts';
import { sidecarReader } from '../rules/form-fill/read-sidecar.ts';
import { indexSidecars, type SidecarIndex } from '../rules/form-fill/sidecar-index.ts';
import { folderNameOf } from '../rules/group-packages.ts';
import type { Questions } from '../store/history.ts';
import type { ReadyPackage } from './ready-package.ts';
import type { FolderScan } from './scan-folder.ts';

export interface FilledIn {
  /** `undefined`: the Portal asks nothing. */
  readonly values: FormValues | undefined;
  /** What a person has to answer. */
  readonly missing: readonly FormField[];
}

/** Answers to the form of an automation's Portal. */
export interface Forms {
  fill(ready: ReadyPackage): Promise<FilledIn>;
}

export interface FormPorts {
  readonly serviceUrl: string;
  readonly jobs: Pick<JobPorts, 'transport' | 'fileSystem'>;
  readonly questions: Pick<Questions, 'of'>;
}

const nothingAsked: FilledIn = { values: undefined, missing: [] };

/** Reads the form of the automation's Portal as it is now. Errors are those of the service. */
export async function formsFor(ports: FormPorts, record: UploadAutomation, scan: FolderScan, signal: AbortSignal): Promise<Forms> {
  if (record.kind === 'team_upload') return { fill: async () => nothingAsked };
  const { custom_metadata: form } = await previewPortal(ports.jobs, ports.serviceUrl, portalOf(record), signal);
  if (!form || form.length === 0) return { fill: async () => nothingAsked };
  const { fields } = record;
  let index: SidecarIndex | null = null;
  const sidecars = (): SidecarIndex => {
    index ??= indexSidecars(scan.files.map(({ path }) => path));
    return index;
  };
  return {
    async fill({ entry, packageName }) {
      const known = {
        package_name: packageName,
        package_description: fields.package_description ?? '',
        sender_email: fields.sender,
      };
      const filled = await fillForm({
        fields: form,
        fixed: fields.form,
        sources: fields.form_from,
        known,
        entry: { name: entry === '' ? folderNameOf(fields.folder) : posixBasename(entry), folders: foldersAbove(entry, fields.folder) },
        readSidecar: sidecarReader(scan.realPath, entry, sidecars, ports.jobs.fileSystem),
      });
      const answered = ports.questions.of(record.id, entry)?.answers ?? null;
      return answered === null ? filled : completeForm(form, filled.values, answered);
    },
  };
}

/** How the automation's Portal is named and opened. */
export function portalOf({ fields, secrets }: Pick<PortalUploadRecord, 'fields' | 'secrets'>) {
  const { subdomain, portal_id, service_url } = fields;
  return {
    ...(subdomain === undefined ? {} : { subdomain }),
    ...(portal_id === undefined ? {} : { portal_id }),
    ...(service_url === undefined ? {} : { service_url }),
    ...(secrets.accessCode === undefined ? {} : { access_code: secrets.accessCode }),
  };
}

/** From the inner to the outer, the watched one last. */
function foldersAbove(entry: string, watched: string): string[] {
  const above = entry === '' ? [] : entry.split('/').slice(0, -1).reverse();
  return [...above, folderNameOf(watched), ...watched.split(/[\\/]/).filter(Boolean).slice(0, -1).reverse()];
}
