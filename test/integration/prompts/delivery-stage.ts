import { beforeEach } from 'vitest';
import type { Chat } from '../../../lambdas/domain/chats/chat.js';
import { recordActivity } from '../../../lambdas/domain/chats/chat-activity.js';
import { acceptPrompt, type PromptRequest } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { confirmLast } from '../../../lambdas/domain/prompts/confirmation.js';
import { type AttemptResult, attemptDelivery } from '../../../lambdas/domain/prompts/delivery-attempt.js';
import { deliverNext, type NextWakeUps } from '../../../lambdas/domain/prompts/delivery-worker.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { sharedTable } from '../../support/table.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { aPrompt, chatOnNode, messagesOf, readChat, readPrompt } from './a-chat.js';
import { DyingClient } from './dying-client.js';
import { expectConsistentRecords } from './expect-consistent-records.js';
import { PromptNode } from './prompt-node.js';

/** One chat whose agent is on a node, and a clock that tests set. */
class DeliveryStage {
  readonly table: Table = sharedTable();
  readonly calls: CallCount = countCalls(this.table.client);
  readonly dying = new DyingClient(this.table.client);
  private clock = Date.now();
  private set: { readonly node: PromptNode; readonly chat: Chat } | undefined;

  /** Another chat, on another node. */
  async reset(): Promise<void> {
    this.clock = Date.now();
    const node = await PromptNode.start();
    this.set = { node, chat: await chatOnNode(this.table, node) };
  }

  async end(): Promise<void> {
    this.dying.die(undefined);
    await expectConsistentRecords(this.table, await this.chat());
    await this.node[Symbol.asyncDispose]();
  }

  get node(): PromptNode {
    if (!this.set) throw new Error('There is no chat yet');
    return this.set.node;
  }

  get chatId(): string {
    if (!this.set) throw new Error('There is no chat yet');
    return this.set.chat.chatId;
  }

  get now(): Date {
    return new Date(this.clock);
  }

  later(seconds: number): void {
    this.clock += seconds * 1_000;
  }

  async send(asked: Partial<PromptRequest> = {}): Promise<string> {
    const { table, now } = this;
    const { deliveryId } = await acceptPrompt(table, aPrompt(asked), { chat: await this.chat(), now });
    return deliveryId;
  }

  deliver(deliveryId: string): Promise<AttemptResult> {
    return attemptDelivery(this.table, this.parts, { chatId: this.chatId, deliveryId });
  }

  /** Handles one wake-up of the chat. */
  wake(): Promise<NextWakeUps> {
    return deliverNext(this.table, this.parts, this.chatId);
  }

  /** Confirms the last prompt, as a wake-up without work does. */
  async confirmLast(): Promise<void> {
    const chat = await this.chat();
    await confirmLast(this.table, this.parts, { chat, deliveryId: String(chat.unconfirmedId) });
  }

  /** The agent activity that the node reports. */
  async reports(activity: 'idle' | 'prompting' | 'error'): Promise<void> {
    const report = { activity, nodeId: newId(), workspaceId: newId(), generation: 1, restartCount: 0 };
    await recordActivity(this.table, await this.chat(), { report, now: this.now });
  }

  /** Deletes the node of the workspace. */
  async loseNode(): Promise<void> {
    const { workspaceId } = await this.chat();
    const key = workspaceKey(String(workspaceId));
    await changeItem(this.table, { key, set: { nodeId: null }, when: { exists: true } });
  }

  record = (deliveryId: string) => readPrompt(this.table, this.chatId, deliveryId);
  chat = () => readChat(this.table, this.chatId);

  /** The delivery state that people see of each message. */
  async shown() {
    return (await messagesOf(this.table, this.chatId)).map(({ delivery }) => delivery);
  }

  get parts() {
    return { keys: signingKeys(), now: this.now, newId };
  }
}

/** A stage for the tests of a file, with a chat of its own for each. */
export function deliveryStage(): DeliveryStage {
  const stage = new DeliveryStage();
  beforeEach(async () => {
    await stage.reset();
    return () => stage.end();
  });
  return stage;
}
