/** Words of the place that says what runs here. */
export const about = {
  title: 'About Longshore',
  version: 'Version',
  service: 'Service',
  noService: 'none set',
} as const;
