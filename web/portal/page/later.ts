/**
 * What is wanted only when something is sent, or was left unsent by an earlier visit. It is a file of its own for the browser,
 * a sixth of the page's code, and comes after the form.
 */
export { beginPackage } from '../sending/begin.ts';
export { SendingView } from './sending-view.tsx';
export { UnfinishedCard } from './unfinished-card.tsx';
