import type { Words } from '../shape.ts';

export const about: Words['about'] = {
  title: 'Über Longshore',
  version: 'Version',
  service: 'Dienst',
  noService: 'keiner eingestellt',
};
