import { ApiError, messageOf } from '../api-error.js';
import { announce, h, replace } from '../dom.js';
import { PortsPanel } from '../ports-panel.js';
import { BootLog, Workspace } from '../records.js';
import { statusBadge } from '../status-badge.js';
import { TerminalPanel } from '../terminal-panel.js';
import type { Surroundings, View } from '../view.js';
import {
  nothingKnown,
  type WorkspaceState,
  withBootLog,
  withMessage,
  withWorkspace,
} from '../workspace-state.js';
import { reachable } from '../workspace-statuses.js';
import { BootLogList } from './boot-log.js';
import { RestLine } from './rest-line.js';
import { sleepNotice } from './sleep-notice.js';
import { WorkspaceActions } from './workspace-actions.js';

/** For when the live socket is away: news then comes late, not never. */
const refreshEveryMs = 15_000;

/** One workspace as it is at this moment: state, terminal, ports, boot log. */
export class WorkspaceView implements View {
  readonly title = 'Workspace';
  private readonly heading = h('h1', {}, 'Workspace');
  private readonly status = h('span', { class: 'status' });
  private readonly facts = h('p', { class: 'quiet' });
  private readonly problem = h('div', { role: 'alert' });
  private readonly panelPlace = h('div', {});
  private readonly bootLog = new BootLogList();
  private readonly actions: WorkspaceActions;
  private readonly rest: RestLine;
  readonly element: HTMLElement;
  private readonly path: string;
  private state: WorkspaceState = nothingKnown;
  private panels: readonly [TerminalPanel, PortsPanel] | undefined;
  private reading = new AbortController();
  private isDisposed = false;
  private readonly unsubscribe: () => void;
  private readonly refreshing: ReturnType<typeof setInterval>;

  constructor(
    private readonly surroundings: Surroundings,
    workspaceId: string,
  ) {
    this.path = `/api/workspaces/${workspaceId}`;
    this.actions = new WorkspaceActions(surroundings, this.path, () => this.refresh());
    this.rest = new RestLine(surroundings, this.path, () => this.refresh());
    this.element = h(
      'section',
      { 'data-workspace': workspaceId },
      h('p', {}, h('a', { href: '/workspaces' }, '← Workspaces')),
      h('div', { class: 'heading' }, this.heading, this.status),
      this.facts,
      this.problem,
      this.rest.element,
      this.actions.element,
      this.panelPlace,
      this.bootLog.element,
    );
    this.refresh();
    this.refreshing = setInterval(() => this.refresh(), refreshEveryMs);
    this.unsubscribe = surroundings.live.subscribe(`workspace:${workspaceId}`, {
      // What happened while nobody was subscribed is in the records.
      subscribed: () => this.refresh(),
      message: (message) => {
        this.update(withMessage(this.state, message));
        if (message.type === 'workspace.status' || message.type === 'session.wake_progress') this.refresh();
      },
    });
  }

  [Symbol.dispose](): void {
    this.isDisposed = true;
    this.reading.abort();
    clearInterval(this.refreshing);
    this.unsubscribe();
    this.showPanels('deleted');
  }

  private refresh(): void {
    this.reading.abort();
    // What is deleted, or just being, is not asked for: its end comes by message or as the answer
    // to the deletion.
    const isGoing = this.actions.isDeleting || this.state.workspace?.status === 'deleted';
    if (this.isDisposed || isGoing) return;
    this.reading = new AbortController();
    const { signal } = this.reading;
    this.fetchAll(signal).catch((error: unknown) => {
      if (!signal.aborted) this.failed(error);
    });
  }

  private async fetchAll(signal: AbortSignal): Promise<void> {
    const { api } = this.surroundings;
    const [workspace, { logs }] = await Promise.all([
      api.call(this.path, { signal, reads: Workspace }),
      api.call(`${this.path}/boot-log`, { signal, reads: BootLog }),
    ]);
    if (!signal.aborted) this.update(withBootLog(withWorkspace(this.state, workspace), logs));
  }

  private failed(error: unknown): void {
    const isGone = error instanceof ApiError && error.status === 404;
    const text = isGone ? 'Workspace not found. It may have been deleted.' : messageOf(error);
    replace(this.problem, h('p', { class: 'notice bad' }, text));
    if (!isGone) return;
    clearInterval(this.refreshing);
    this.showPanels('deleted');
    replace(this.status);
    this.actions.element.hidden = true;
    this.bootLog.element.hidden = this.state.bootLog.length === 0;
  }

  private update(state: WorkspaceState): void {
    const before = this.state.workspace?.status;
    this.state = state;
    this.bootLog.show(state.bootLog);
    const { workspace } = state;
    if (!workspace) return;
    this.heading.textContent = workspace.displayName;
    this.showFacts(workspace);
    this.actions.show(workspace);
    this.rest.show(workspace);
    if (workspace.status === before) return;
    replace(this.status, statusBadge(workspace.status));
    announce(`${workspace.displayName} is ${workspace.status}`);
    // A person who opens it wants to work in it. One that falls asleep later sleeps on.
    if (before === undefined && workspace.status === 'sleeping' && !workspace.sleepPhase)
      this.actions.start();
    this.showPanels(workspace.status);
  }

  private showFacts(workspace: Workspace): void {
    const { repository, branch, nodeId, errorMessage } = workspace;
    const source = [repository, branch].filter(Boolean).join(' @ ');
    replace(this.facts, source, source && nodeId ? ' · ' : null, nodeId && `node ${nodeId}`);
    const notice = errorMessage ?? sleepNotice(workspace) ?? noticeOf(workspace);
    replace(
      this.problem,
      notice !== null && h('p', { class: `notice ${errorMessage ? 'bad' : ''}` }, notice),
    );
  }

  private showPanels(status: string): void {
    const isWanted = reachable.has(status);
    if (isWanted === (this.panels !== undefined)) return;
    for (const panel of this.panels ?? []) panel[Symbol.dispose]();
    this.panels = undefined;
    replace(this.panelPlace);
    if (!isWanted || !this.state.workspace) return;
    const { api } = this.surroundings;
    const { id } = this.state.workspace;
    this.panels = [new TerminalPanel(api, id), new PortsPanel(api, id)];
    this.panelPlace.append(...this.panels.map(({ element }) => element));
    for (const panel of this.panels) panel.start();
  }
}

function noticeOf({ status, admissionReason, admissionQueuePosition }: Workspace): string | null {
  if (status === 'deleted') return 'This workspace is deleted.';
  if (status !== 'pending' || admissionReason === null) return null;
  return `Waiting for a slot on a node. ${admissionReason} Place ${admissionQueuePosition ?? 1} in your queue.`;
}
