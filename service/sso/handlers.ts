import { appHandlers } from './app-code.ts';
import { domainHandlers } from './domains.ts';
import { settingsHandlers } from './settings.ts';
import { signInHandlers } from './sign-in.ts';

/** Single sign-on of Teams by OpenID Connect (contract/sso.md §1). */
export const ssoHandlers = { ...settingsHandlers, ...domainHandlers, ...signInHandlers, ...appHandlers };
