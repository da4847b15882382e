import type { Messages } from '../shape.ts';
import { agent } from './agent.ts';
import { app } from './app.ts';
import { automations } from './automations.ts';
import { get } from './get.ts';
import { history } from './history.ts';
import { notices } from './notices.ts';
import { send } from './send.ts';
import { session } from './session.ts';
import { settings } from './settings.ts';
import { transfers } from './transfers.ts';

export const de: Messages = {
  agent,
  app,
  automations,
  session,
  send,
  get,
  history,
  notices,
  settings,
  transfers,
};
