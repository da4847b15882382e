import { useCallback, useContext } from 'react';
import { refusal } from '#client/refusals.ts';
import { TransportContext } from '../app/api.ts';

/** Fetches the signed receipt of a package, which is no JSON, and saves it as a file. Throws what the service refuses. */
export function useSaveReceipt(): (packageId: string, token: string, fileName: string) => Promise<void> {
  const transport = useContext(TransportContext);
  return useCallback(
    async (packageId, token, fileName) => {
      if (!transport) throw new Error('TransportContext is missing above this component.');
      const { baseUrl, fetcher } = transport;
      const reply = await fetcher({
        service: baseUrl,
        method: 'GET',
        url: `${baseUrl}/v1/packages/${packageId}/receipt`,
        headers: { 'x-package-token': token },
      });
      if (reply.status !== 200) throw refusal(reply);
      const address = URL.createObjectURL(new Blob([reply.text], { type: 'application/jose' }));
      const link = document.createElement('a');
      link.href = address;
      link.download = fileName;
      link.click();
      URL.revokeObjectURL(address);
    },
    [transport],
  );
}
