import { matchPath, useAddress } from '../app/address.ts';
import { AddressForm } from './address-form.tsx';
import { AppRequest } from './app-request.tsx';
import { Callback } from './callback.tsx';

/** Signing in through a company, whether somebody is signed in already or not. Its addresses begin with `/sso/`. */
export default function SsoPages() {
  const { path, query } = useAddress();
  const callback = matchPath('/sso/callback/{team_id}', path);
  if (callback) return <Callback teamId={callback['team_id']!} />;
  if (path === '/sso/app') return <AppRequest query={query} />;
  return <AddressForm next={query.get('next') ?? '/'} />;
}
