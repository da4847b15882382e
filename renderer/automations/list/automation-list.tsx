import { PlusIcon } from '#ui/icons.tsx';
import { hrefOf } from '../../app/route.ts';
import { useLocale } from '../../messages/locale.ts';
import { useAutomations } from '../queries.ts';

/** All automations. */
export function AutomationList() {
  const { automations: texts } = useLocale().messages;
  const { data } = useAutomations();
  return (
    <div className="automations">
      <header className="transfers-head">
        <h1>{texts.title}</h1>
        <a className="button button-primary" href={hrefOf({ name: 'new-automation' })}>
          <PlusIcon /> {texts.add}
        </a>
      </header>
      <ul>
        {data?.map((automation) => (
          <li key={automation.id}>
            <a href={hrefOf({ name: 'automation', id: automation.id })}>{automation.name}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}
