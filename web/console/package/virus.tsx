import type { Package } from '#protocol/hosted/packages.ts';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { useTexts } from '../app/texts.ts';

/** That a virus was found in files of a package. What follows from it is the Team's policy, which the service holds. */
export function VirusNotice({ one }: { readonly one: Package }) {
  const { messages } = useTexts({ en, de });
  return one.contains_virus ? <Notice tone="bad">{messages.virusNotice}</Notice> : null;
}
