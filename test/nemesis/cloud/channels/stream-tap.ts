import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { EmulatorAccess } from '../../../../local/access/keys.js';
import { callAws } from '../../../../local/access/signature.js';
import { Functions } from '../../../../local/deployment/functions.js';
import type { Random } from '../../agent/random.js';
import { RecordStream, type StreamRecord } from '../../record-stream.js';
import { invokeFunction } from '../invoke-function.js';

const consumer = 'streams/live';
const kept = 300;

interface Deployed {
  readonly access: EmulatorAccess;
  readonly mappingId: string;
}

/**
 * Reads the stream of the table beside its consumer. Delivers batches that the consumer has handled
 * again, and holds later ones back.
 */
export class StreamTap implements AsyncDisposable {
  private readonly waiting = new Map<string, StreamRecord>();
  private readonly handled: StreamRecord[] = [];
  private readonly ended = new AbortController();
  private reading: Promise<void> = Promise.resolve();

  private constructor(private readonly deployed: Deployed) {}

  static async start(access: EmulatorAccess): Promise<StreamTap> {
    const consumerName = await new Functions(access).physicalName(consumer);
    const Mappings = z.object({
      EventSourceMappings: z.array(z.object({ UUID: z.string(), EventSourceArn: z.string() })),
    });
    const listed = await callAws(access, {
      service: 'lambda',
      method: 'GET',
      path: `/2015-03-31/event-source-mappings/?FunctionName=${encodeURIComponent(consumerName)}`,
    });
    const [mapping] = Mappings.parse(await listed.json()).EventSourceMappings;
    if (!mapping) throw new Error('The consumer reads no stream');
    const tap = new StreamTap({ access, mappingId: mapping.UUID });
    tap.reading = tap.read(mapping.EventSourceArn);
    return tap;
  }

  /** False when nothing was handled yet. */
  async repeat(random: Random): Promise<boolean> {
    const from = random.between(0, Math.max(0, this.handled.length - 1));
    const batch = this.handled.slice(from, from + random.between(1, 10));
    if (batch.length === 0) return false;
    const times = random.between(1, 2);
    const calls = Array.from({ length: times }, () =>
      // It may be killed by another fault.
      invokeFunction(this.deployed.access, consumer, { Records: batch }).catch(() => undefined),
    );
    await Promise.all(calls);
    return true;
  }

  /** Later changes of the table reach the consumer after the wait. */
  async holdBack(pause: () => Promise<unknown>): Promise<void> {
    await this.enable(false);
    try {
      await pause();
    } finally {
      await this.enable(true);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort();
    await this.reading;
  }

  private async enable(Enabled: boolean): Promise<void> {
    const { access, mappingId } = this.deployed;
    const path = `/2015-03-31/event-source-mappings/${mappingId}`;
    const body = JSON.stringify({ Enabled });
    const answer = await callAws(access, { service: 'lambda', method: 'PUT', path, body });
    if (!answer.ok) throw new Error(`The mapping answered ${answer.status}: ${await answer.text()}`);
  }

  private async read(StreamArn: string): Promise<void> {
    const { access } = this.deployed;
    const stream = await RecordStream.open({ access, StreamArn, from: 'LATEST' });
    while (!this.ended.signal.aborted) {
      const records = await stream.next();
      for (const record of records) this.keep(record);
      if (records.length === 0) await wait(300);
    }
  }

  /** An event is handled when its item leaves the index of unmatched events. */
  private keep(record: StreamRecord): void {
    const image = record.dynamodb.NewImage;
    const entity = image?.entity?.S;
    const pk = image?.pk?.S ?? '';
    if (entity === 'project-event' && record.eventName === 'INSERT') this.waiting.set(pk, record);
    const inserted = this.waiting.get(pk);
    if (inserted && image && !image.parentPk) {
      this.waiting.delete(pk);
      this.handled.push(inserted);
    }
    if (entity === 'event-subscription' || entity === 'prompt') this.handled.push(record);
    while (this.handled.length > kept) this.handled.shift();
  }
}
