import { about } from './about.ts';
import { agent } from './agent.ts';
import { app } from './app.ts';
import { get } from './get.ts';
import { history } from './history.ts';
import { notices } from './notices.ts';
import { open } from './open.ts';
import { send } from './send.ts';
import { session } from './session.ts';
import { settings } from './settings.ts';
import { transfers } from './transfers.ts';

/** Every word of the agent's page, an area a file. Other languages have the same entries (`Words`). */
export const en = { language: 'English', agent, app, session, send, get, history, notices, settings, about, open, transfers } as const;
