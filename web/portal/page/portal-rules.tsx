import type { PublicPortal } from '#protocol/hosted/portals.ts';
import type { PortalRestrictions } from '#protocol/portal-restrictions.ts';
import { restrictionTexts } from '#ui/form/restrictions.ts';
import { useFormat } from '../../messages/portal.ts';

interface PortalRulesProps {
  readonly portal: PublicPortal;
  readonly restrictions: PortalRestrictions;
}

/** Shows the Portal's limits before anybody exceeds them. Renders nothing where there are none. */
export function PortalRules({ portal, restrictions }: PortalRulesProps) {
  const format = useFormat();
  const { messages } = format;
  const rules = restrictionTexts(restrictions, messages.form.restrictions, format);
  if (portal.expiry_enabled) rules.push(messages.rules.until(format.moment(portal.expiry)));
  if (rules.length === 0) return null;
  return (
    <section className="portal-rules" aria-labelledby="rules">
      <h2 id="rules">{messages.rules.title}</h2>
      <ul>
        {rules.map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
    </section>
  );
}
