import { apiKeyHandlers } from './api-keys.ts';
import { emailChangeHandlers } from './email-change.ts';
import { passwordResetHandlers } from './password-reset.ts';
import { signInHandlers } from './sign-in.ts';
import { userHandlers } from './users.ts';

/** Sign-in, a user's own account, and API keys. */
export const accountHandlers = { ...signInHandlers, ...passwordResetHandlers, ...userHandlers, ...emailChangeHandlers, ...apiKeyHandlers };
