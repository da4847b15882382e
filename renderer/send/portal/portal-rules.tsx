import type { PublicPortal } from '#protocol/hosted/portals.ts';
import { portalRestrictions } from '#protocol/portal-restrictions.ts';
import { restrictionTexts } from '#ui/form/restrictions.ts';
import { useFormat } from '../../messages/format.ts';

/** Shows a Portal's limits before the person sends. The service enforces them. */
export function PortalRules({ portal }: { portal: PublicPortal }) {
  const format = useFormat();
  const { portal: texts, form } = format.messages.send;
  const rules = restrictionTexts(portalRestrictions(portal), form.restrictions, format);
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
