import type { ReactNode } from 'react';

/** Line icons on a 20 px grid, drawn in the text's colour. They say nothing to a screen reader: the text beside them does. */
function Icon({ children }: { children: ReactNode }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

export const SendIcon = () => (
  <Icon>
    <path d="M10 13V3.5M6 7.2 10 3.2l4 4M3.5 12.5v2a2 2 0 0 0 2 2h9a2 2 0 0 0 2-2v-2" />
  </Icon>
);
export const CheckIcon = () => (
  <Icon>
    <path d="m4.5 10.5 3.6 3.6 7.4-8" />
  </Icon>
);
export const CloseIcon = () => (
  <Icon>
    <path d="m5 5 10 10M15 5 5 15" />
  </Icon>
);
export const WarnIcon = () => (
  <Icon>
    <path d="M10 3 18 16.5H2L10 3ZM10 8v4M10 14.2v.3" />
  </Icon>
);
export const FolderIcon = () => (
  <Icon>
    <path d="M2.5 15.5v-11h5l2 2.5h8v8.5z" />
  </Icon>
);
export const FileIcon = () => (
  <Icon>
    <path d="M5 2.5h6.5L15.5 7v10.5H5zM11.5 2.5V7h4" />
  </Icon>
);
export const PauseIcon = () => (
  <Icon>
    <path d="M7 4.5v11M13 4.5v11" />
  </Icon>
);
export const PlayIcon = () => (
  <Icon>
    <path d="M6.5 4v12l9-6z" />
  </Icon>
);
export const DownloadIcon = () => (
  <Icon>
    <path d="M10 3v9.5M6 8.8l4 4 4-4M3.5 12.5v2a2 2 0 0 0 2 2h9a2 2 0 0 0 2-2v-2" />
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
