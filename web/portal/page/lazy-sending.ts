/**
 * Code that is needed only for sending, or for an unsent package of an earlier visit. It is a separate, lazily loaded
 * chunk, a sixth of the page's code.
 */
export { beginPackage } from '../sending/begin-package.ts';
export { SendingView } from './sending-view.tsx';
export { UnfinishedCard } from './unfinished-card.tsx';
