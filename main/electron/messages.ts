import { agent as deAgent } from '#renderer/messages/de/agent.ts';
import { notices as deNotices } from '#renderer/messages/de/notices.ts';
import { agent as enAgent } from '#renderer/messages/en/agent.ts';
import { notices as enNotices } from '#renderer/messages/en/notices.ts';
import type { Messages } from '#renderer/messages/shape.ts';

/** Texts of the desktop outside the page: tray, menus, dialogs. */
const en = {
  open: 'Open Longshore',
  quit: 'Quit Longshore',
  pauseAll: 'Pause all transfers',
  resumeAll: 'Resume all transfers',
  send: 'Send files…',
  get: 'Get files…',
  automations: 'Automations',
  history: 'History',
  settings: 'Settings…',
  about: 'About Longshore',
  file: 'File',
  edit: 'Edit',
  view: 'View',
  window: 'Window',
  help: 'Help',
  transfers: 'Transfers',
  idle: 'Nothing is being transferred',
  paused: 'All transfers are paused',
  moving: (count: number): string => `${count} ${count === 1 ? 'transfer' : 'transfers'}`,
  stillHere: 'Longshore goes on',
  stillHereText: 'Transfers go on without the window. Open Longshore again to see them.',
  updateReady: 'A new version of Longshore is ready',
  updateReadyText: (version: string): string => `Version ${version} is installed when you quit Longshore.`,
  pickPaths: 'Choose what to send',
  pickFolder: 'Choose a folder',
  choose: 'Choose',
  cannotStart: 'Longshore cannot start',
  cannotShow: 'Longshore cannot show its page',
  pageFails: 'Longshore’s page ends again and again',
  pageFailsText: 'Transfers go on. Close the window, and open it again from the tray or by starting Longshore.',
} as const;

/** The same entries in another language. */
type Entries = {
  readonly [Key in keyof typeof en]: (typeof en)[Key] extends (...given: infer Given) => string ? (...given: Given) => string : string;
};

/** Also includes the page's texts for the agent and for notifications. */
export type DesktopMessages = Entries & Pick<Messages, 'agent' | 'notices'>;

const de: Entries = {
  open: 'Longshore öffnen',
  quit: 'Longshore beenden',
  pauseAll: 'Alle Übertragungen anhalten',
  resumeAll: 'Alle Übertragungen fortsetzen',
  send: 'Dateien senden …',
  get: 'Dateien abholen …',
  automations: 'Automationen',
  history: 'Verlauf',
  settings: 'Einstellungen …',
  about: 'Über Longshore',
  file: 'Datei',
  edit: 'Bearbeiten',
  view: 'Ansicht',
  window: 'Fenster',
  help: 'Hilfe',
  transfers: 'Übertragungen',
  idle: 'Nichts wird übertragen',
  paused: 'Alle Übertragungen sind angehalten',
  moving: (count) => `${count} ${count === 1 ? 'Übertragung' : 'Übertragungen'}`,
  stillHere: 'Longshore läuft weiter',
  stillHereText: 'Die Übertragungen gehen ohne das Fenster weiter. Öffnen Sie Longshore wieder, um sie zu sehen.',
  updateReady: 'Eine neue Version von Longshore liegt bereit',
  updateReadyText: (version) => `Version ${version} wird installiert, wenn Sie Longshore beenden.`,
  pickPaths: 'Wählen, was gesendet wird',
  pickFolder: 'Einen Ordner wählen',
  choose: 'Wählen',
  cannotStart: 'Longshore kann nicht starten',
  cannotShow: 'Longshore kann seine Seite nicht zeigen',
  pageFails: 'Die Seite von Longshore bricht immer wieder ab',
  pageFailsText:
    'Die Übertragungen gehen weiter. Schließen Sie das Fenster, und öffnen Sie es wieder über das Symbol oder durch einen neuen Start.',
};

const english: DesktopMessages = { ...en, agent: enAgent, notices: enNotices };
const catalogues: Readonly<Record<string, DesktopMessages>> = { en: english, de: { ...de, agent: deAgent, notices: deNotices } };

/** The texts of the first of these languages (BCP 47 tags) that has a translation; otherwise English. */
export function desktopMessages(languages: readonly string[]): DesktopMessages {
  for (const language of languages) {
    const base = language.toLowerCase().split('-')[0]!;
    if (Object.hasOwn(catalogues, base)) return catalogues[base]!;
  }
  return english;
}
