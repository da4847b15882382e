import type { Connection } from '#protocol/hosted/connections.ts';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTexts } from '../app/texts.ts';
import { CloudFolder, useConnectionFiles } from '../ui/cloud-folder.tsx';

/** What lies in the folders that a connection brings files from. */
export function ConnectionFolder({ connection }: { readonly connection: Connection }) {
  const { messages } = useTexts({ en, de });
  return (
    <section className="panel">
      <h2>{messages.browse}</h2>
      <p className="hint">{messages.browseText}</p>
      <CloudFolder source={useConnectionFiles(connection.id)} />
    </section>
  );
}
