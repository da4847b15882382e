import type { ReactNode } from 'react';
import { lines } from '../../resources/lines.ts';

/** Line icons on a 20 px grid, drawn in the text's colour. They say nothing to a screen reader: the text beside them does. */
export function Icon({ children }: { children: ReactNode }) {
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
export const GetIcon = () => (
  <Icon>
    <path d={lines.get} />
  </Icon>
);
export const LinkIcon = () => (
  <Icon>
    <path d="M8.5 11.5a3 3 0 0 0 4.3 0l2.6-2.6a3 3 0 1 0-4.3-4.3l-.8.8M11.5 8.5a3 3 0 0 0-4.3 0l-2.6 2.6a3 3 0 1 0 4.3 4.3l.8-.8" />
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
export const WaitIcon = () => (
  <Icon>
    <circle cx="10" cy="10" r="7" />
    <path d="M10 6v4l2.6 1.8" />
  </Icon>
);
export const OverIcon = () => (
  <Icon>
    <circle cx="10" cy="10" r="7" />
    <path d="m5.2 14.8 9.6-9.6" />
  </Icon>
);
export const FolderIcon = () => (
  <Icon>
    <path d={lines.folder} />
  </Icon>
);
export const ChevronIcon = () => (
  <Icon>
    <path d="m6 8 4 4 4-4" />
  </Icon>
);

export const TransfersIcon = () => (
  <Icon>
    <path d="M6.5 16V4M3 7.5 6.5 4 10 7.5M13.5 4v12M10 12.5l3.5 3.5 3.5-3.5" />
  </Icon>
);
export const HistoryIcon = () => (
  <Icon>
    <path d="M3.5 10a6.5 6.5 0 1 0 2.2-4.9L3.5 7M3.5 3.2V7h3.8M10 6.5V10l2.4 1.6" />
  </Icon>
);
export const SettingsIcon = () => (
  <Icon>
    <path d="M3 6h7M14 6h3M3 14h3M10 14h7" />
    <circle cx="12" cy="6" r="2" />
    <circle cx="8" cy="14" r="2" />
  </Icon>
);
export const AboutIcon = () => (
  <Icon>
    <circle cx="10" cy="10" r="7" />
    <path d="M10 9.2v4.3M10 6.4v.3" />
  </Icon>
);
export const PlusIcon = () => (
  <Icon>
    <path d="M10 4v12M4 10h12" />
  </Icon>
);
export const FileIcon = () => (
  <Icon>
    <path d={lines.file} />
  </Icon>
);

/** The mark: a quay, two containers, the water. The same drawing as resources/icon.svg. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" focusable="false">
      <rect className="mark-ground" width="32" height="32" rx="8" />
      <rect className="mark-box" x="8" y="6.5" width="7" height="6" rx="1.2" />
      <rect className="mark-box" x="8" y="14" width="7" height="6" rx="1.2" />
      <rect className="mark-box mark-box-moving" x="17" y="14" width="7" height="6" rx="1.2" />
      <path className="mark-water" d="M6 24.2c1.7 1.5 3.3 1.5 5 0s3.3-1.5 5 0 3.3 1.5 5 0 3.3-1.5 5 0" />
    </svg>
  );
}
