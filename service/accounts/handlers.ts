import { apiKeyHandlers } from './api-keys.ts';
import { signInHandlers } from './sign-in.ts';

/** Sign-in and API keys. */
export const accountHandlers = { ...signInHandlers, ...apiKeyHandlers };
