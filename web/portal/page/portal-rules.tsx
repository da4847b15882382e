import type { PublicPortal } from '#protocol/hosted/portals.ts';
import { useFormat } from '../../messages/portal.ts';
import type { Rules } from '../files/rules.ts';

/** Shows the Portal's limits before anybody exceeds them. Renders nothing where there are none. */
export function PortalRules({ portal, rules }: { portal: PublicPortal; rules: Rules }) {
  const { messages, size, files, moment, tag } = useFormat();
  const types = rules.fileTypes ? new Intl.ListFormat(tag, { type: 'conjunction' }).format(rules.fileTypes) : '';
  const said = [
    rules.fileTypes ? messages.rules.types(types) : '',
    rules.maxFileSize > 0 ? messages.rules.fileSize(size(rules.maxFileSize)) : '',
    rules.maxFileCount > 0 ? messages.rules.count(files(rules.maxFileCount)) : '',
    rules.maxPackageSize > 0 ? messages.rules.packageSize(size(rules.maxPackageSize)) : '',
    portal.expiry_enabled ? messages.rules.until(moment(portal.expiry)) : '',
  ].filter(Boolean);
  if (said.length === 0) return null;
  return (
    <section className="portal-rules" aria-labelledby="rules">
      <h2 id="rules">{messages.rules.title}</h2>
      <ul>
        {said.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </section>
  );
}
