/**
 * False with `LONGSHORE_FAST=off` in the environment: then every fast way of HTTP and of disks is left alone, and the
 * plain one beside it does the work. Slower, for whoever looks for a fault in one of them; tests run both.
 */
export const isFast = process.env['LONGSHORE_FAST'] !== 'off';
