import type { NotificationConstructorOptions, PowerSaveBlocker } from 'electron';
import type { Settings } from '#protocol/agent/settings.ts';
import { noticeOf } from '#renderer/notices/notice.ts';
import { sentenceOf } from '../cli/failure.ts';
import type { RunningAgent } from '../headless.ts';
import { setStartAtLogin } from './login.ts';
import type { MainWindow } from './main-window.ts';
import { appMenu } from './menu.ts';
import { type DesktopMessages, desktopMessages } from './messages.ts';
import type { Overview } from './overview.ts';
import { pageRoutes } from './page-routes.ts';
import type { DesktopParts } from './ports.ts';
import { openTray } from './tray.ts';
import { followUpdates } from './updates.ts';
import { watchTransfers } from './watch-transfers.ts';

/** Interval in milliseconds for updating the tray, the taskbar and the sleep blocker. */
const tickMilliseconds = 1_000;
const heldNotifications = 20;
/** Below this level the machine may sleep, to save the battery. */
const lowBattery = 0.2;

/** Settings that the desktop applies itself. The notification setting is read when a notification is due. */
type Applied = Pick<Settings, 'language' | 'appearance' | 'start_at_login'>;

const isApplied = (before: Applied, now: Applied): boolean =>
  before.language === now.language && before.appearance === now.appearance && before.start_at_login === now.start_at_login;

export interface DesktopShell {
  /**
   * Applies the agent's settings: language, appearance, start at log-in. Also called automatically after any change.
   */
  applySettings(): void;
  noteBattery(level: number | null): void;
  /** Whether the app keeps running after its last window was closed. If it does, the person is told. */
  staysWithoutWindow(): boolean;
  close(): void;
}

interface ShellParts {
  readonly agent: RunningAgent;
  readonly window: MainWindow;
  readonly quit: () => void;
  readonly setMessages: (messages: DesktopMessages) => void;
}

/** Everything around the window: tray, menu, notifications, taskbar, sleep, start at log-in, updates. */
export function desktopShell(parts: DesktopParts, { agent, window, quit, setMessages }: ShellParts): DesktopShell {
  const { electron, platform, complain } = parts;
  const { engine } = agent;
  const stop = new AbortController();
  let messages = desktopMessages([electron.app.getLocale()]);
  let battery: Battery | null = null;
  let toldThatItStays = false;

  const failed = (error: unknown): void => complain(`${sentenceOf(error)}\n`);
  // Notifications are kept here while they can be clicked: otherwise they are garbage collected with their listeners.
  const shown: unknown[] = [];
  const notify = (options: NotificationConstructorOptions, route: string): void => {
    const notification = electron.notification({ ...options, icon: parts.icon });
    if (!notification) return;
    notification.on('click', () => window.show(route));
    notification.show();
    shown.push(notification);
    if (shown.length > heldNotifications) shown.shift();
  };

  const watch = watchTransfers(engine, stop.signal, {
    onEnd(transfer) {
      if (window.isInFront()) return;
      if (engine.settings.current().notifications) notify(noticeOf(transfer, messages), pageRoutes.transfer(transfer.id));
    },
    onSettings: () => followSettings(),
  });
  watch.ended.catch(failed);

  const tray = openTray(electron, parts.trayIcon, {
    open: (route) => window.show(route),
    pauseAll: () => void engine.transfers.pauseAll().catch(failed),
    resumeAll: () => void engine.transfers.resumeAll().catch(failed),
    quit,
  });
  const keepAwake = sleepBlocker(electron.powerSaveBlocker);

  const tick = (): void => {
    const overview = watch.overview();
    tray?.show(overview, messages);
    const page = window.current();
    if (!page) battery = null;
    else if (!page.isDestroyed()) page.setProgressBar(taskbarProgress(overview, platform));
    keepAwake(shouldPreventSleep({ moving: overview.moving > 0, onBattery: electron.powerMonitor().isOnBatteryPower(), battery }));
  };
  const stopTicking = parts.every(tickMilliseconds, tick);

  let applied: Applied | null = null;
  const applySettings = (): void => {
    const settings = engine.settings.current();
    if (applied && isApplied(applied, settings)) return;
    messages = desktopMessages([settings.language, electron.app.getLocale()]);
    setMessages(messages);
    electron.nativeTheme.themeSource = settings.appearance;
    const menu = appMenu({ platform, packaged: electron.app.isPackaged }, messages, { go: (route) => window.show(route), quit });
    electron.setApplicationMenu(electron.buildMenu(menu));
    tick();
    // Only a packaged app has an executable that can be started at log-in.
    if (electron.app.isPackaged) setStartAtLogin({ ...parts, app: electron.app }, settings.start_at_login);
    // Set only after success: a change that the system refused is retried when the page asks, which reports the error.
    applied = settings;
  };
  function followSettings(): void {
    try {
      applySettings();
    } catch (error) {
      failed(error);
    }
  }
  followSettings();

  let stopUpdates = (): void => {};
  parts
    .openUpdater()
    .then((updater) => {
      if (!updater || stop.signal.aborted) return;
      stopUpdates = followUpdates(updater, parts.options.updateUrl, {
        every: parts.every,
        complain: failed,
        onReady: (version) =>
          notify({ title: messages.updateReady, body: messages.updateReadyText(version), silent: true }, pageRoutes.about),
      });
    })
    .catch(failed);

  return {
    applySettings,
    noteBattery: (level) => {
      battery = level === null ? null : { level };
    },
    staysWithoutWindow() {
      if (platform === 'darwin') return true;
      // A Linux desktop may have no visible tray and does not report it. There the app stays open only for running
      // transfers.
      const stays = tray !== null && (platform !== 'linux' || watch.overview().moving > 0);
      if (stays && !toldThatItStays)
        notify({ title: messages.stillHere, body: messages.stillHereText, silent: true }, pageRoutes.transfers);
      toldThatItStays ||= stays;
      return stays;
    },
    close() {
      stop.abort();
      stopTicking();
      stopUpdates();
      keepAwake(false);
      tray?.remove();
    },
  };
}

/**
 * For Electron: 0 to 1, less for no bar, more for one without a share, as the page has it while the total grows. Linux desktops
 * would show that as a full one.
 */
function taskbarProgress({ moving, share }: Overview, platform: NodeJS.Platform): number {
  if (moving === 0) return -1;
  return share ?? (platform === 'linux' ? -1 : 2);
}

/** The battery's state; null where it is unknown. */
interface Battery {
  /** 0 to 1. */
  readonly level: number;
}

/**
 * Whether to prevent the system's sleep: while something moves, on mains power, or on a battery known to have enough
 * charge. Electron reports only whether the battery is in use. Its level is sent by the page; while the level is
 * unknown, the machine may sleep. The screen may always turn off.
 */
function shouldPreventSleep(facts: { readonly moving: boolean; readonly onBattery: boolean; readonly battery: Battery | null }): boolean {
  if (!facts.moving) return false;
  if (!facts.onBattery) return true;
  return facts.battery !== null && facts.battery.level >= lowBattery;
}

/** Starts and stops the sleep blocker, once each. */
function sleepBlocker(blocker: Pick<PowerSaveBlocker, 'start' | 'stop'>): (awake: boolean) => void {
  let held: number | null = null;
  return (awake) => {
    if (awake && held === null) held = blocker.start('prevent-app-suspension');
    if (!awake && held !== null) {
      blocker.stop(held);
      held = null;
    }
  };
}
