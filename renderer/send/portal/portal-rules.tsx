import type { PublicPortal } from '#protocol/hosted/portals.ts';
import { useFormat } from '../../messages/format.ts';

/** Shows a Portal's limits before the person sends. The service enforces them. */
export function PortalRules({ portal }: { portal: PublicPortal }) {
  const { messages, size, files } = useFormat();
  const { portal: texts } = messages.send;
  const { package_size_restriction_enabled: sized, max_file_size, max_file_count, max_package_size } = portal;
  const rules = [
    portal.file_type_restriction_enabled && portal.file_types.length > 0 ? texts.types(portal.file_types.join(', ')) : '',
    sized && max_file_size > 0 ? texts.fileSize(size(max_file_size)) : '',
    sized && max_file_count > 0 ? texts.files(files(max_file_count)) : '',
    sized && max_package_size > 0 ? texts.packageSize(size(max_package_size)) : '',
  ].filter((rule) => rule !== '');
  if (rules.length === 0) return null;
  return (
    <section className="portal-rules" aria-label={texts.takes}>
      <ul>
        {rules.map((rule) => (
          <li key={rule} className="hint">
            {rule}
          </li>
        ))}
      </ul>
    </section>
  );
}
