import type { HostedRouteName } from '#protocol/hosted/routes.ts';
import type { Changes } from './event.ts';

/** A call that has succeeded. */
interface Call {
  readonly params: { readonly file_id?: string };
  readonly body: { readonly files?: readonly { readonly file_id?: string }[] };
  readonly result: {
    readonly file?: { readonly id: string; readonly state?: string };
    readonly files?: readonly {
      readonly file_id?: string;
      readonly file?: { readonly id: string; readonly state?: string };
      readonly error?: unknown;
    }[];
  };
}

const none: Changes = new Map();
// A folder is final as soon as it is made.
const made = (file: { readonly id: string; readonly state?: string }) =>
  [file.id, file.state === 'finalized' ? 'finalized' : 'created'] as const;

const finalizedOf = ({ result }: Call): Changes =>
  new Map(result.files?.flatMap(({ file_id, error }) => (file_id !== undefined && !error ? [[file_id, 'finalized'] as const] : [])));

/** Which of a package's files a call has changed. Calls that are not here change no package that somebody may watch. */
const table: Partial<Record<HostedRouteName, (call: Call) => Changes>> = {
  createFile: ({ result }) => new Map(result.file ? [made(result.file)] : []),
  createFiles: ({ result }) => new Map(result.files?.flatMap(({ file }) => (file ? [made(file)] : []))),
  finalizeFile: ({ params }) => new Map([[params.file_id!, 'finalized']]),
  finalizeFiles: finalizedOf,
  recordFiles: finalizedOf,
  deleteFile: ({ params }) => new Map([[params.file_id!, 'deleted']]),
  createTransfer: () => none,
  finalizePackage: () => none,
  deletePackage: () => none,
  setPackageExpiry: () => none,
};

export const changesPackage = (route: HostedRouteName): boolean => route in table;

/** What a call that succeeded has changed. Shapes are those of the route table. */
export function changesOf(
  route: HostedRouteName,
  call: { readonly params: unknown; readonly body: unknown; readonly result: unknown },
): Changes {
  return table[route]?.({ params: call.params ?? {}, body: call.body ?? {}, result: call.result ?? {} } as Call) ?? none;
}
