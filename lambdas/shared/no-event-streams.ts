/**
 * In place of the SDK's event streams in bundles, 20 KB of each: no operation that Berth calls has
 * one.
 */
export class EventStreamSerde {
  constructor() {
    throw new Error('Event streams are not part of this bundle');
  }
}

export function eventStreamSerdeProvider(): EventStreamSerde {
  return new EventStreamSerde();
}

/** The S3 client calls it when it is made. */
export function resolveEventStreamSerdeConfig<Config>(config: Config): Config {
  return config;
}
