import { Component, type ReactNode, Suspense } from 'react';
import { LoadingState, ViewState } from '../ui/view-states.tsx';
import { useShellTexts } from './texts.ts';
import type { View } from './views.ts';

interface ViewOutletProps {
  readonly view: View;
  readonly params: Readonly<Record<string, string>>;
}

/** Shows a view, once its code is there. */
export function ViewOutlet({ view, params }: ViewOutletProps) {
  const { Component: Shown } = view;
  return (
    <CodeBoundary key={view.path}>
      <Suspense fallback={<LoadingState />}>
        <Shown params={params} />
      </Suspense>
    </CodeBoundary>
  );
}

/** The code of a view could not be loaded, or it failed: the rest of the console stays. */
export class CodeBoundary extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? <CodeMissing /> : this.props.children;
  }
}

function CodeMissing() {
  const { messages } = useShellTexts();
  return (
    <ViewState title={messages.states.codeMissing} text={messages.states.codeMissingText}>
      <button type="button" className="button" onClick={() => location.reload()}>
        {messages.states.reload}
      </button>
    </ViewState>
  );
}
