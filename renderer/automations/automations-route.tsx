import { lazy, Suspense, useMemo } from 'react';
import type { Route } from '../app/route.ts';
import { yamlPhrases } from '../messages/de/yaml-phrases.ts';
import { LocaleContext, useLocale } from '../messages/locale.ts';
import { withPhrases } from '../messages/with-phrases.ts';
import { TransferActionsProvider } from '../transfers/actions/transfer-actions.tsx';
import { AutomationPage } from './detail/automation-page.tsx';
import { OneAutomation } from './detail/one-automation.tsx';
import { AutomationList } from './list/automation-list.tsx';
import '../ui/styles/lazy/views.css';
import '../ui/styles/lazy/detail.css';
import '../ui/styles/lazy/automation-editor.css';

/** Loaded when it is opened: most visits only look. */
const AutomationEditor = lazy(() => import('./editor/automation-editor.tsx'));

type AutomationsRoute = Extract<Route, { name: 'automations' | 'automation' | 'new-automation' | 'edit-automation' }>;

/** Every view of automations. A part of its own, which the page loads on the first visit. */
export default function AutomationsRoute({ route }: { route: AutomationsRoute }) {
  const locale = useLocale();
  const own = useMemo(() => withPhrases(locale, yamlPhrases), [locale]);
  // Shows what came of an action, in each of the views.
  return (
    <LocaleContext value={own}>
      <TransferActionsProvider>
        <View route={route} />
      </TransferActionsProvider>
    </LocaleContext>
  );
}

function View({ route }: { route: AutomationsRoute }) {
  const { messages } = useLocale();
  const loading = (
    <p className="hint" role="status">
      {messages.app.loading}
    </p>
  );
  switch (route.name) {
    case 'automations':
      return <AutomationList />;
    case 'automation':
      return <OneAutomation id={route.id}>{(automation) => <AutomationPage key={automation.id} automation={automation} />}</OneAutomation>;
    case 'new-automation':
      return <Suspense fallback={loading}>{route.kind ? <AutomationEditor kind={route.kind} /> : <AutomationEditor />}</Suspense>;
    case 'edit-automation':
      return (
        <OneAutomation id={route.id}>
          {(automation) => (
            <Suspense fallback={loading}>
              <AutomationEditor key={automation.id} automation={automation} />
            </Suspense>
          )}
        </OneAutomation>
      );
  }
}
