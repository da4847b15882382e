import { useCallback, useContext } from 'react';
import { refusal } from '#client/refusals.ts';
import { TransportContext } from '../app/api.ts';

/**
 * Saves what a call answers as a file, such as an export. A plain link would not do: the session's cookie stands for the
 * person only in calls of the service's own pages. What the call refuses is thrown as `ServiceError`.
 */
export function useSaveFile(): (path: string, name: string) => Promise<void> {
  const transport = useContext(TransportContext);
  if (!transport) throw new Error('TransportContext is missing above this component.');
  const { baseUrl } = transport;
  return useCallback(
    async (path, name) => {
      const reply = await fetch(baseUrl + path, { headers: { 'x-longshore-page': '1' }, credentials: 'same-origin' });
      if (!reply.ok) {
        throw refusal({ status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() });
      }
      const address = URL.createObjectURL(await reply.blob());
      const link = document.createElement('a');
      link.href = address;
      link.download = name;
      link.click();
      URL.revokeObjectURL(address);
    },
    [baseUrl],
  );
}
