import { noticeKinds } from '../notices.ts';

/**
 * What a Portal may dress in its own branding. `portal`: to whom it tells of an upload. `request`: asks for files. `receipt`: to
 * whoever sent. `code`: to a recipient who proves their address. The rest are notices.
 */
export const portalMailKinds = ['portal', 'request', 'receipt', 'code', ...noticeKinds] as const;

/** `link`: to a recipient. `invitation`: to a new member. */
export const mailPreviewKinds = ['link', 'invitation', ...portalMailKinds] as const;
