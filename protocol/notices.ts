/** What people are told of a package, where they have chosen it: contract/packages.md §12. */
export const noticeKinds = ['downloaded', 'expires', 'failed'] as const;
export type NoticeKind = (typeof noticeKinds)[number];
