import { lines } from '../../resources/lines.ts';
import { Icon } from '../ui/icons.tsx';

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
export const RetryIcon = () => (
  <Icon>
    <path d="M15.8 10a5.8 5.8 0 1 1-1.7-4.1L16 7.6M16 3.8v3.8h-3.8" />
  </Icon>
);
export const FinishIcon = () => (
  <Icon>
    <path d="M5.5 17V3.5M5.5 4.5h9l-2 3.2 2 3.3h-9" />
  </Icon>
);
export const MoreIcon = () => (
  <Icon>
    <path d="M4.5 10h.01M10 10h.01M15.5 10h.01" strokeWidth="2.4" />
  </Icon>
);
export const GripIcon = () => (
  <Icon>
    <path d="M7.5 5h.01M12.5 5h.01M7.5 10h.01M12.5 10h.01M7.5 15h.01M12.5 15h.01" strokeWidth="2" />
  </Icon>
);
export const SearchIcon = () => (
  <Icon>
    <circle cx="8.8" cy="8.8" r="5" />
    <path d="m12.6 12.6 4 4" />
  </Icon>
);
export const BackIcon = () => (
  <Icon>
    <path d="m11.5 5-5 5 5 5M6.8 10H16" />
  </Icon>
);
