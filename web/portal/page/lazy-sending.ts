/**
 * Code that is needed only for sending, or for an unsent package of an earlier visit. It is a separate, lazily loaded
 * chunk, a sixth of the page's code.
 */

export { traceIdToShow } from '#client/trace-id.ts';
export { TraceId } from '#ui/trace-id.tsx';
export { SendingView } from '../../sending/view/sending-view.tsx';
export { UnfinishedCard } from '../../sending/view/unfinished-card.tsx';
export { beginPackage } from './begin-package.ts';
