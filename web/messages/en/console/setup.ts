/** What to set up at a provider before it is connected. */
export const en = {
  back: 'Integrations',
  title: (provider: string) => `Set up ${provider}`,
  provider: 'Provider',
  unknown: 'No such provider',
  unknownText: 'Choose one of those that can be connected.',
  bucket: 'Name of your bucket',
  bucketHint: 'Put into the policies below, so that they can be copied as they are.',
  copy: 'Copy this text',
} as const;
