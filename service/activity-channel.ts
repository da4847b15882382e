import { channel } from 'node:diagnostics_channel';

/**
 * The service publishes here what it starts, without secrets: the watchdog (main/watchdog) names the last activities
 * if the event loop is blocked. Without a listener it costs nothing.
 */
export const serviceActivity = channel('longshore.service.activity');
