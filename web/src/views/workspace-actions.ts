import { messageOf } from '../api-error.js';
import type { Question } from '../confirm-dialog.js';
import { h, replace } from '../dom.js';
import { DeletionReply, StatusReply, type Workspace } from '../records.js';
import type { Surroundings } from '../view.js';
import { restartable } from '../workspace-statuses.js';

const stoppable = new Set(['pending', 'provisioning', 'running', 'recovering']);

/** Wake or restart, sleep, and, after a question, stop and delete. */
export class WorkspaceActions {
  private readonly problem = h('div', { role: 'alert' });
  private readonly startButton = h(
    'button',
    { type: 'button', hidden: true, click: () => this.start() },
    'Restart',
  );
  private readonly sleepButton = h(
    'button',
    { type: 'button', hidden: true, click: () => this.run(() => this.change('sleep')) },
    'Sleep',
  );
  private readonly stopButton = h('button', { type: 'button', click: () => this.run(this.stop) }, 'Stop');
  private readonly deleteButton = h(
    'button',
    { type: 'button', class: 'danger', click: () => this.run(this.delete) },
    'Delete',
  );
  readonly element = h(
    'div',
    { class: 'actions' },
    h('div', { class: 'buttons' }, this.startButton, this.sleepButton, this.stopButton, this.deleteButton),
    this.problem,
  );
  private workspace: Workspace | null = null;
  private isBusy = false;
  private isBeingDeleted = false;

  constructor(
    private readonly surroundings: Surroundings,
    private readonly path: string,
    private readonly changed: () => void,
  ) {}

  /** From the confirmation to the response. The workspace can disappear at any moment between. */
  get isDeleting(): boolean {
    return this.isBeingDeleted;
  }

  show(workspace: Workspace): void {
    this.workspace = workspace;
    this.startButton.hidden = !restartable.has(workspace.status) || Boolean(workspace.sleepPhase);
    this.startButton.disabled = this.isBusy;
    this.startButton.textContent = workspace.status === 'sleeping' ? 'Wake' : 'Restart';
    // Without a chat it cannot sleep.
    this.sleepButton.hidden = !workspace.sleepsAt;
    this.sleepButton.disabled = this.isBusy || Boolean(workspace.sleepPhase);
    this.stopButton.disabled = this.isBusy || !stoppable.has(workspace.status);
    this.deleteButton.disabled = this.isBusy || workspace.status === 'deleted';
  }

  /** Wakes it when it sleeps. */
  start(): void {
    this.run(() => this.change('restart'));
  }

  private run(action: (workspace: Workspace) => Promise<void>): void {
    const { workspace } = this;
    if (!workspace || this.isBusy) return;
    this.isBusy = true;
    this.show(workspace);
    replace(this.problem);
    action
      .call(this, workspace)
      .catch((error: unknown) => this.say(messageOf(error), 'bad'))
      .finally(() => {
        this.isBusy = false;
        if (this.workspace) this.show(this.workspace);
        this.changed();
      });
  }

  private async change(route: 'restart' | 'sleep'): Promise<void> {
    await this.surroundings.api.call(`${this.path}/${route}`, { method: 'POST', reads: StatusReply });
  }

  private async stop(workspace: Workspace): Promise<void> {
    const isSure = await this.ask(workspace, {
      action: 'Stop',
      text: 'The processes of the workspace and the sessions of its agents end. A restart brings back its files while its node exists; otherwise unpushed work is lost.',
    });
    if (isSure) await this.surroundings.api.call(`${this.path}/stop`, { method: 'POST', reads: StatusReply });
  }

  private async ask(workspace: Workspace, question: Omit<Question, 'title'>): Promise<boolean> {
    // Loaded with the first question: the page opens without it.
    const { askBeforeLoss } = await import('../changes/workspace-losses.js');
    return askBeforeLoss(this.surroundings.api, workspace, question);
  }

  private async delete(workspace: Workspace): Promise<void> {
    const isSure = await this.ask(workspace, {
      action: 'Delete',
      text: 'The processes and files of the workspace are deleted. Unpushed work is lost.',
    });
    if (!isSure) return;
    const reply = await this.sendDeletion();
    if (reply.deletionStatus === 'confirmed')
      this.surroundings.goTo('/workspaces', `${workspace.displayName} is deleted.`);
    else this.say('The workspace is being deleted. This page shows when the deletion is complete.', '');
  }

  private async sendDeletion() {
    this.isBeingDeleted = true;
    this.changed();
    try {
      return await this.surroundings.api.call(this.path, { method: 'DELETE', reads: DeletionReply });
    } finally {
      this.isBeingDeleted = false;
    }
  }

  private say(text: string, tone: string): void {
    replace(this.problem, h('p', { class: `notice ${tone}` }, text));
  }
}
