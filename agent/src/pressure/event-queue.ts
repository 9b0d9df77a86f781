import type { PressureEvent } from './pressure.js';

/**
 * The events of one reader. Deaths of containers have a queue of their own, which a long pressure
 * cannot fill, and come first.
 */
export class EventQueue implements AsyncIterable<PressureEvent> {
  private readonly deaths: PressureEvent[] = [];
  private readonly pressure: PressureEvent[] = [];
  private isClosed = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly capacity: number,
    private readonly onClose: () => void,
  ) {}

  /** False when the queue is full: then the event is dropped. */
  push(event: PressureEvent): boolean {
    const queue = event.type === 'container_oom' ? this.deaths : this.pressure;
    if (queue.length >= this.capacity) return false;
    queue.push(event);
    this.wake();
    return true;
  }

  close(): void {
    this.isClosed = true;
    this.wake();
    this.onClose();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<PressureEvent> {
    try {
      while (!this.isClosed) {
        const event = this.deaths.shift() ?? this.pressure.shift();
        if (event) yield event;
        else
          await new Promise<void>((resolve) => {
            this.wake = resolve;
          });
      }
    } finally {
      this.close();
    }
  }
}
