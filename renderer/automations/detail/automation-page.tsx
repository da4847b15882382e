import type { Automation } from '#protocol/agent/automations/automation.ts';
import { BackIcon } from '#ui/icons.tsx';
import { hrefOf } from '../../app/route.ts';
import { useLocale } from '../../messages/locale.ts';

/** The page of one automation. */
export function AutomationPage({ automation }: { automation: Automation }) {
  const { automations: texts } = useLocale().messages;
  return (
    <article className="detail">
      <a className="back" href={hrefOf({ name: 'automations' })}>
        <BackIcon /> {texts.title}
      </a>
      <h1>{automation.name}</h1>
    </article>
  );
}
