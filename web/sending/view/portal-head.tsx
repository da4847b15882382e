import type { PortalCover } from '#protocol/hosted/portals.ts';
import { useFormat } from '../../messages/portal.ts';
import './portal-head.css';

interface PortalHeadProps {
  readonly cover: Pick<PortalCover, 'name' | 'message'>;
  /** Whether something else is the page's title: the name is then smaller, and the message kept short. */
  readonly aside?: boolean;
}

/** Whose page this is: the Portal's name, and its message. */
export function PortalHead({ cover: { name, message }, aside = false }: PortalHeadProps) {
  const { messages } = useFormat();
  const Name = aside ? 'p' : 'h1';
  return (
    <header className={aside ? 'portal-aside' : 'portal-head'}>
      <Name className="portal-name" dir="auto">
        {name}
      </Name>
      {message ? (
        <section className="portal-message" aria-label={messages.portalMessage} dir="auto" tabIndex={aside ? 0 : undefined}>
          {message}
        </section>
      ) : null}
    </header>
  );
}
