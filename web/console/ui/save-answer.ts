import { useCallback, useContext } from 'react';
import { refusal } from '#client/refusals.ts';
import { TransportContext } from '../app/api.ts';

/** Saves what the service answers at a path, such as a table, as a file of this name. Rejects as a call does. */
export function useSaveAnswer(): (path: string, name: string) => Promise<void> {
  const transport = useContext(TransportContext);
  return useCallback(
    async (path, name) => {
      if (!transport) throw new Error('TransportContext is missing above this component.');
      const { baseUrl, fetcher } = transport;
      const reply = await fetcher({ service: baseUrl, method: 'GET', url: baseUrl + path, headers: {} });
      if (reply.status !== 200) throw refusal(reply);
      const url = URL.createObjectURL(new Blob([reply.text], { type: reply.headers['content-type'] ?? 'text/plain' }));
      const link = document.createElement('a');
      link.href = url;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    },
    [transport],
  );
}
