import type { Log } from '../shared/log.js';
import { EventQueue } from './event-queue.js';
import type { PressureEvent } from './pressure.js';

/** Gives every event to every reader. */
export class PressureEvents implements Disposable {
  private readonly queues = new Set<EventQueue>();
  private isDisposed = false;
  private count = 0;

  constructor(
    private readonly capacity: number,
    private readonly log: Log,
  ) {}

  /** Events that no queue had place for, since the start. */
  get dropped(): number {
    return this.count;
  }

  subscribe(): AsyncIterable<PressureEvent> {
    const queue = new EventQueue(this.capacity, () => this.queues.delete(queue));
    if (this.isDisposed) queue.close();
    else this.queues.add(queue);
    return queue;
  }

  emit(event: PressureEvent): void {
    for (const queue of this.queues) {
      if (queue.push(event)) continue;
      this.count += 1;
      this.log.warn('A pressure event was dropped: its queue is full', {
        type: event.type,
        dropped: this.count,
      });
    }
  }

  [Symbol.dispose](): void {
    this.isDisposed = true;
    for (const queue of this.queues) queue.close();
  }
}
