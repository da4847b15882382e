import { useMemo } from 'react';
import type { File } from '#protocol/hosted/files.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { PreviewDialog } from '../../download/preview/preview-dialog.tsx';
import { LocaleContext, localeFor } from '../../messages/download.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { useShellTexts } from '../app/texts.ts';
import { tokenOf } from '../packages/actions.ts';

const calls = defineCalls({
  previewFile: { method: 'GET', path: '/v1/packages/{package_id}/files/{file_id}/preview', reply: { status: 200 } },
});

interface PreviewProps {
  readonly one: Package;
  /** All files with a preview, in their order. */
  readonly files: readonly File[];
  readonly first: File;
  readonly onClose: () => void;
}

/** The download page's previews, for whoever manages the package: they count as no download. */
export default function Preview({ one, files, first, onClose }: PreviewProps) {
  const { tag } = useShellTexts();
  const locale = useMemo(() => localeFor([tag]), [tag]);
  const api = useApi(calls);
  const opened = useMemo(
    () => ({
      addressOf: async (fileId: string) =>
        (await api.call('previewFile', { params: { package_id: one.id, file_id: fileId }, credential: tokenOf(one) })).url,
    }),
    [api, one],
  );
  return (
    <LocaleContext value={locale}>
      <PreviewDialog files={files} first={first} opened={opened} onClose={onClose} />
    </LocaleContext>
  );
}
