import type { ReactNode } from 'react';
import type { PublicPortal } from '#protocol/hosted/portals.ts';
import { BrandFrame } from '../../common/brand-frame.tsx';
import { useLocale } from '../../messages/portal.ts';
import { usePageEnvironment } from './environment.ts';

interface PortalFrameProps {
  /** Null while it is loading. */
  readonly portal: PublicPortal | null;
  readonly busy?: boolean;
  readonly children: ReactNode;
}

/** The Portal's branding around the page's content. */
export function PortalFrame({ portal, busy = false, children }: PortalFrameProps) {
  const { baseUrl, subdomain } = usePageEnvironment();
  const { language, messages } = useLocale();
  return (
    <BrandFrame
      looks={portal}
      picture={(kind, of) => `${baseUrl}/p/${subdomain}/${kind}?${new URLSearchParams({ of })}`}
      language={language}
      chooseLanguage={messages.chooseLanguage}
      busy={busy}
    >
      {children}
    </BrandFrame>
  );
}
