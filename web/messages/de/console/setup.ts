import type { SameShape } from '#ui/locale.ts';
import type { en } from '../../en/console/setup.ts';

export const de: SameShape<typeof en> = {
  back: 'Integrationen',
  title: (provider) => `${provider} einrichten`,
  provider: 'Anbieter',
  unknown: 'Diesen Anbieter gibt es nicht',
  unknownText: 'Wählen Sie einen, der verbunden werden kann.',
  bucket: 'Name Ihres Buckets',
  bucketHint: 'Er kommt in die Richtlinien unten, die sich dann so kopieren lassen, wie sie sind.',
  copy: 'Diesen Text kopieren',
};
