import { type ProviderName, providerNames, providers } from '#protocol/providers.ts';

/** The providers whose storage a gateway reaches. */
export const gatewayProviders: readonly ProviderName[] = providerNames.filter((name) => providers[name].gateway);

export const isByGateway = (provider: ProviderName): boolean => providers[provider].gateway;
