import type { ReactNode } from 'react';

/**
 * Line icons on a grid of 20, in the text's colour. Hidden from screen readers: the text beside an icon has the meaning.
 */
function Icon({ children }: { children: ReactNode }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

export const AboutIcon = () => (
  <Icon>
    <circle cx="10" cy="10" r="7" />
    <path d="M10 9.2v4.3M10 6.4v.3" />
  </Icon>
);
export const AutomationIcon = () => (
  <Icon>
    <path d="M16.5 8.5a6.75 6.75 0 0 0-12-2.25M3.5 11.5a6.75 6.75 0 0 0 12 2.25" />
    <path d="M4.25 2.75v3.75H8M15.75 17.25V13.5H12M8.75 7.75v4.5l3.5-2.25z" />
  </Icon>
);
export const BackIcon = () => (
  <Icon>
    <path d="m11.5 5-5 5 5 5M6.8 10H16" />
  </Icon>
);
export const BuildingIcon = () => (
  <Icon>
    <path d="M4.5 17V3.5h7V17M11.5 8h4v9M2.8 17h14.4M7 6.8h2M7 10h2M7 13.2h2" />
  </Icon>
);
export const CheckIcon = () => (
  <Icon>
    <path d="m4.5 10.5 3.6 3.6 7.4-8" />
  </Icon>
);
export const ChevronDownIcon = () => (
  <Icon>
    <path d="m6 8 4 4 4-4" />
  </Icon>
);
export const ChevronRightIcon = () => (
  <Icon>
    <path d="m7.5 4.5 5.5 5.5-5.5 5.5" />
  </Icon>
);
export const CloseIcon = () => (
  <Icon>
    <path d="m5 5 10 10M15 5 5 15" />
  </Icon>
);
export const CopyIcon = () => (
  <Icon>
    <path d="M7 6.5h9.5V17H7zM4 13.5H3.5V3H13v.5" />
  </Icon>
);
export const DownloadIcon = () => (
  <Icon>
    <path d="M10 3v9.5M6 8.8l4 4 4-4M3.5 12.5v2a2 2 0 0 0 2 2h9a2 2 0 0 0 2-2v-2" />
  </Icon>
);
export const DriveIcon = () => (
  <Icon>
    <path d="M3 11.5v3c0 .8.7 1.5 1.5 1.5h11c.8 0 1.5-.7 1.5-1.5v-3c0-.8-.7-1.5-1.5-1.5h-11c-.8 0-1.5.7-1.5 1.5ZM3.2 11l2-6c.2-.6.7-1 1.4-1h6.8c.7 0 1.2.4 1.4 1l2 6M13.5 13h.01" />
  </Icon>
);
export const EyeIcon = () => (
  <Icon>
    <path d="M2 10s3-5.5 8-5.5S18 10 18 10s-3 5.5-8 5.5S2 10 2 10zM10 7.6a2.4 2.4 0 1 1 0 4.8 2.4 2.4 0 0 1 0-4.8z" />
  </Icon>
);
export const FileIcon = () => (
  <Icon>
    <path d="M5 3.2h6.2L15 7v8.3c0 .9-.6 1.5-1.5 1.5h-7c-.9 0-1.5-.6-1.5-1.5V3.2ZM11 3.4V7h3.8" />
  </Icon>
);
export const FilterIcon = () => (
  <Icon>
    <path d="M3 4.5h14l-5.4 6.3V16l-3.2-1.6v-3.6L3 4.5Z" />
  </Icon>
);
export const FinishIcon = () => (
  <Icon>
    <path d="M5.5 17V3.5M5.5 4.5h9l-2 3.2 2 3.3h-9" />
  </Icon>
);
export const FolderIcon = () => (
  <Icon>
    <path d="M2.8 6.2c0-.9.6-1.5 1.5-1.5h3.4l1.7 1.9h6.3c.9 0 1.5.6 1.5 1.5v6c0 .9-.6 1.5-1.5 1.5H4.3c-.9 0-1.5-.6-1.5-1.5V6.2Z" />
  </Icon>
);
export const FormIcon = () => (
  <Icon>
    <path d="M4 3.2h12v13.6H4zM7 7h6M7 10.2h6M7 13.4h3.5" />
  </Icon>
);
export const GripIcon = () => (
  <Icon>
    <path d="M7.5 5h.01M12.5 5h.01M7.5 10h.01M12.5 10h.01M7.5 15h.01M12.5 15h.01" strokeWidth="2" />
  </Icon>
);
export const HistoryIcon = () => (
  <Icon>
    <path d="M3.5 10a6.5 6.5 0 1 0 2.2-4.9L3.5 7M3.5 3.2V7h3.8M10 6.5V10l2.4 1.6" />
  </Icon>
);
export const HomeIcon = () => (
  <Icon>
    <path d="m3 9.5 7-6 7 6M5 8v8.5h3.5V12h3v4.5H15V8" />
  </Icon>
);
export const KeyIcon = () => (
  <Icon>
    <path d="M9.5 10a3.25 3.25 0 1 1-6.5 0 3.25 3.25 0 0 1 6.5 0ZM9.5 10H17v3M14 10v2.2" />
  </Icon>
);
export const LinkIcon = () => (
  <Icon>
    <path d="M8.5 11.5a3 3 0 0 0 4.3 0l2.6-2.6a3 3 0 1 0-4.3-4.3l-.8.8M11.5 8.5a3 3 0 0 0-4.3 0l-2.6 2.6a3 3 0 1 0 4.3 4.3l.8-.8" />
  </Icon>
);
export const LogIcon = () => (
  <Icon>
    <path d="M10 2.8 16 5v4.6c0 3.6-2.4 6.4-6 7.6-3.6-1.2-6-4-6-7.6V5l6-2.2ZM7.4 9.8l1.9 1.9 3.4-3.6" />
  </Icon>
);
export const MembersIcon = () => (
  <Icon>
    <path d="M7.5 9.6a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM2.5 16.2c.3-2.7 2.2-4.2 5-4.2s4.7 1.5 5 4.2M13 4.3a2.6 2.6 0 0 1 0 5M14.6 12.3c1.7.5 2.7 1.9 2.9 3.9" />
  </Icon>
);
export const MenuIcon = () => (
  <Icon>
    <path d="M3.5 5.5h13M3.5 10h13M3.5 14.5h13" />
  </Icon>
);
export const MoreIcon = () => (
  <Icon>
    <path d="M4.5 10h.01M10 10h.01M15.5 10h.01" strokeWidth="2.4" />
  </Icon>
);
export const OverIcon = () => (
  <Icon>
    <circle cx="10" cy="10" r="7" />
    <path d="m5.2 14.8 9.6-9.6" />
  </Icon>
);
export const PackageIcon = () => (
  <Icon>
    <path d="m10 2.8 6.5 3.4v7.6L10 17.2l-6.5-3.4V6.2L10 2.8ZM3.7 6.3 10 9.6l6.3-3.3M10 9.6v7.4" />
  </Icon>
);
export const PauseIcon = () => (
  <Icon>
    <path d="M7 4.5v11M13 4.5v11" />
  </Icon>
);
export const PlayIcon = () => (
  <Icon>
    <path d="M6.5 4.2v11.6L15.5 10 6.5 4.2Z" />
  </Icon>
);
export const PlugIcon = () => (
  <Icon>
    <path d="M7 3v3.5M13 3v3.5M5 6.5h10v3a5 5 0 0 1-10 0v-3ZM10 14.5V17" />
  </Icon>
);
export const PlusIcon = () => (
  <Icon>
    <path d="M10 4v12M4 10h12" />
  </Icon>
);
export const PortalIcon = () => (
  <Icon>
    <path d="M3 4.5h14v11H3zM3 8h14M10 13.8V10.2M8.3 11.7 10 10l1.7 1.7" />
  </Icon>
);
export const RetryIcon = () => (
  <Icon>
    <path d="M15.8 10a5.8 5.8 0 1 1-1.7-4.1L16 7.6M16 3.8v3.8h-3.8" />
  </Icon>
);
export const SearchIcon = () => (
  <Icon>
    <circle cx="8.8" cy="8.8" r="5" />
    <path d="m12.6 12.6 4 4" />
  </Icon>
);
export const SendIcon = () => (
  <Icon>
    <path d="M10 13V3.5M6 7.2 10 3.2l4 4M3.5 12.5v2a2 2 0 0 0 2 2h9a2 2 0 0 0 2-2v-2" />
  </Icon>
);
export const ServerIcon = () => (
  <Icon>
    <path d="M3.5 4h13v5h-13zM3.5 11h13v5h-13zM6.3 6.5h.2M6.3 13.5h.2M9 6.5h4.5M9 13.5h4.5" />
  </Icon>
);
export const SettingsIcon = () => (
  <Icon>
    <path d="M3 6h7M14 6h3M3 14h3M10 14h7" />
    <circle cx="12" cy="6" r="2" />
    <circle cx="8" cy="14" r="2" />
  </Icon>
);
export const TagIcon = () => (
  <Icon>
    <path d="M3.2 3.5h6.3l7.3 7.2-6.1 6.1-7.3-7.3-.2-6ZM6.6 6.8h.1" />
  </Icon>
);
export const TeamspaceIcon = () => (
  <Icon>
    <path d="M3.5 3.5h5.5V9H3.5zM11 3.5h5.5V9H11zM3.5 11H9v5.5H3.5zM11 11h5.5v5.5H11z" />
  </Icon>
);
export const TransfersIcon = () => (
  <Icon>
    <path d="M6.5 16V4M3 7.5 6.5 4 10 7.5M13.5 4v12M10 12.5l3.5 3.5 3.5-3.5" />
  </Icon>
);
export const UserIcon = () => (
  <Icon>
    <path d="M10 9.8a3.3 3.3 0 1 0 0-6.6 3.3 3.3 0 0 0 0 6.6ZM3.8 16.8c.4-3.2 2.8-5 6.2-5s5.8 1.8 6.2 5" />
  </Icon>
);
export const WarnIcon = () => (
  <Icon>
    <path d="M10 3 18 16.5H2L10 3ZM10 8v4M10 14.2v.3" />
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
