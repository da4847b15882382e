import { randomBytes } from 'node:crypto';
import { createAzureProvider } from '#providers/azure/azure-provider.ts';
import { azureConfig } from '#providers/azure/config.ts';
import { accountSas, newContainer, serviceSas } from '#test/support/providers/azurite/azurite.ts';
import { providerConformance } from '#test/support/providers/conformance.ts';

const environment = { mayConnect: () => true, now: () => new Date() };

for (const scope of ['account', 'container'] as const) {
  providerConformance(`Azure with a SAS of the ${scope}`, {
    async open() {
      const container = await newContainer();
      const { name, service } = container;
      const account = accountSas();
      const open = (url: string, destination = name) =>
        createAzureProvider(azureConfig({ blob_service_sas_url: url, destination }), environment);
      const right = scope === 'account' ? `${service}?${account}` : `${service}/${name}?${serviceSas(name)}`;
      const otherKey = accountSas({ key: randomBytes(64).toString('base64') });
      const expired = accountSas({ expires: new Date(Date.now() - 60_000) });
      const later = accountSas({ starts: new Date(Date.now() + 3_600_000), expires: new Date(Date.now() + 7_200_000) });
      const wrong = [
        { what: 'another key', provider: open(`${service}?${otherKey}`), code: 'credentials_refused' },
        { what: 'an expired SAS', provider: open(`${service}?${expired}`), code: 'credentials_refused' },
        { what: 'a SAS of later', provider: open(`${service}?${later}`), code: 'credentials_refused' },
        { what: 'no permission to list', provider: open(`${service}?${accountSas({ permissions: 'rwd' })}`), code: 'forbidden' },
        { what: 'no containers', provider: open(`${service}?${accountSas({ resourceTypes: 'o' })}`), code: 'forbidden' },
        { what: 'a container that is not there', provider: open(`${service}?${account}`, 'absent'), code: 'no_destination' },
      ] as const;
      const providers = [open(right), ...wrong.map(({ provider }) => provider)];
      const create = () => {
        const provider = open(right);
        providers.push(provider);
        return provider;
      };
      return {
        provider: providers[0]!,
        restarted: create,
        stored: container.stored,
        wrong,
        secrets: [account, otherKey, expired, later].flatMap((sas) => {
          const sig = new URLSearchParams(sas).get('sig')!;
          return [sig, encodeURIComponent(sig)];
        }),
        close: async () => void (await Promise.all(providers.map((provider) => provider.close()))),
      };
    },
    lacks: { hidesUnfinishedWhole: 'Put Blob makes it at once; a second request a file is too dear for small ones.' },
    largeFile: 350_000,
    partSize: 100_000,
    names: ['a&b<c>.txt', '#hash?.txt', ' space around ', '~tilde', '[bracket]', '100%.txt', 'a=b&c=d'],
  });
}
