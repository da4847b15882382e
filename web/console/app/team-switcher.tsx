import type { OwnTeam } from '#protocol/hosted/accounts.ts';
import { ChevronDownIcon } from '#ui/icons.tsx';
import { MenuItem } from '#ui/menu.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { useAccount } from './account.ts';
import { goTo } from './address.ts';
import { useWatchBefore } from './live.ts';
import { useShellTexts } from './texts.ts';

/** The Team that the console shows, and the way to the person's others: to the same view, where it is a list. */
export function TeamSwitcher({ team }: { readonly team: OwnTeam }) {
  const { messages } = useShellTexts();
  const { teams } = useAccount();
  const watchBefore = useWatchBefore();
  const choose = async (id: string): Promise<void> => {
    if (id !== team.id) await watchBefore(id);
    const [view] = location.pathname.split('/').slice(3);
    goTo(`/t/${id}${view ? `/${view}` : ''}`);
  };
  if (teams.length < 2) {
    return (
      <p className="team-name" dir="auto">
        {team.name}
      </p>
    );
  }
  return (
    <MenuButton
      label={`${messages.team.choose}: ${team.name}`}
      className="button team-button"
      content={
        <>
          <span className="team-name" dir="auto">
            {team.name}
          </span>
          <ChevronDownIcon />
        </>
      }
    >
      {teams.map(({ id, name }) => (
        <MenuItem key={id} label={name} checked={id === team.id} onChoose={() => void choose(id)} />
      ))}
    </MenuButton>
  );
}
