import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import type { Change } from '../records/changes.js';
import { changeTo } from '../records/changes.js';
import type { Write } from '../records/transact.js';
import { type Prompt, promptKey } from './prompt.js';
import type { Swept } from './waiting-prompt.js';

/** Of its fields, and of those by which the sweep finds it where it waits alone. */
export type PromptChange = Partial<Prompt> & { readonly [Key in keyof Swept]?: string | null };

/** From how it was read, and from nothing else. */
export const promptMove = (prompt: Prompt, change: PromptChange, now: Date): Write => ({
  update: moveOf(prompt, change, now),
});

/** The same by itself. False when it was moved meanwhile. One table call. */
export async function movePrompt(
  table: Table,
  prompt: Prompt,
  { change, now }: { readonly change: PromptChange; readonly now: Date },
): Promise<boolean> {
  const { changed } = await changeItem(table, moveOf(prompt, change, now));
  return changed;
}

function moveOf(prompt: Prompt, change: PromptChange, now: Date): Change {
  const { chatId, deliveryId, version, deliveryState } = prompt;
  return {
    key: promptKey(chatId, deliveryId),
    ...changeTo({ ...change, version: version + 1, updatedAt: now.toISOString() }),
    when: { equals: { version, deliveryState } },
  };
}
