import type { ReactNode } from 'react';
import { lines } from '../../resources/lines.ts';

/**
 * Line icons on a 20 px grid, in the text's colour. Hidden from screen readers: the text next to them has the meaning.
 */
function Icon({ children }: { children: ReactNode }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

export const SendIcon = () => (
  <Icon>
    <path d={lines.send} />
  </Icon>
);
export const CheckIcon = () => (
  <Icon>
    <path d={lines.check} />
  </Icon>
);
export const CloseIcon = () => (
  <Icon>
    <path d={lines.close} />
  </Icon>
);
export const WarnIcon = () => (
  <Icon>
    <path d={lines.warn} />
  </Icon>
);
export const FolderIcon = () => (
  <Icon>
    <path d={lines.folder} />
  </Icon>
);
export const FileIcon = () => (
  <Icon>
    <path d={lines.file} />
  </Icon>
);
export const PauseIcon = () => (
  <Icon>
    <path d={lines.pause} />
  </Icon>
);
export const PlayIcon = () => (
  <Icon>
    <path d={lines.play} />
  </Icon>
);
export const DownloadIcon = () => (
  <Icon>
    <path d={lines.get} />
  </Icon>
);
export const EyeIcon = () => (
  <Icon>
    <path d="M2 10s3-5.5 8-5.5S18 10 18 10s-3 5.5-8 5.5S2 10 2 10zM10 7.6a2.4 2.4 0 1 1 0 4.8 2.4 2.4 0 0 1 0-4.8z" />
  </Icon>
);
export const ChevronIcon = () => (
  <Icon>
    <path d="m7.5 4.5 5.5 5.5-5.5 5.5" />
  </Icon>
);
export const CopyIcon = () => (
  <Icon>
    <path d="M7 6.5h9.5V17H7zM4 13.5H3.5V3H13v.5" />
  </Icon>
);
