import { channel } from 'node:diagnostics_channel';

/**
 * The channel on which the engine publishes each operation that it begins, in words without secrets: if the event loop
 * blocks, the watchdog (main/watchdog) names the last one. Without listeners it costs nothing.
 */
export const engineActivity = channel('longshore.engine.activity');
